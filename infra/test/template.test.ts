// The whole template of the example app, so that no change of it goes unseen. `npm test -- --update` after reading the difference.
import { expect, test } from 'vitest';
import { example, template } from './support/app.ts';

test('the template of the example app is the one that was read', async () => {
  const whole = JSON.stringify(template(example()), (key, value: unknown) =>
    // The definition has tests of its own, and one place where it is changed.
    key === 'DefinitionString' ? 'the definition: circuit.test.ts compares it' : value, 2);
  await expect(`${whole}\n`).toMatchFileSnapshot('snapshots/Stepbreaker.template.json');
});

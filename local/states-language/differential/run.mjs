// Runs definitions by aws-local-stepfunctions: an array of {definition, input} comes in as JSON on standard input, an
// array of {output} or {error, cause} goes out. Nothing is validated: that takes by far the longest there. What has not
// ended after some seconds never will, as nothing here waits: its error is `hangs`.
//
// Tasks do what the last part of their Resource says, as in tests/differential.rs: echo, wrap, boom, or flaky, which
// fails the first time that a state calls it.

import { readFileSync } from 'node:fs';

// The package wants Node 22 for this one function.
Promise.withResolvers ??= function () {
  let resolve, reject;
  const promise = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
};

const { StateMachine } = await import('aws-local-stepfunctions');

function boom() {
  const error = new Error('because');
  error.name = 'Boom';
  return error;
}

/** Every state of a definition, with those inside others. */
function* states(graph) {
  for (const [name, state] of Object.entries(graph.States)) {
    yield [name, state];
    for (const inner of [...(state.Branches ?? []), state.ItemProcessor ?? state.Iterator]) {
      if (inner) yield* states(inner);
    }
  }
}

function overrides(definition) {
  const tasks = {};
  const retries = {};
  for (const [name, state] of states(definition)) {
    retries[name] = 0;
    if (state.Type !== 'Task') continue;
    const kind = state.Resource.split(':').at(-1);
    let calls = 0;
    tasks[name] = (input) => {
      calls += 1;
      if (kind === 'boom' || (kind === 'flaky' && calls === 1)) throw boom();
      return kind === 'wrap' ? { got: input } : input;
    };
  }
  return { taskResourceLocalHandlers: tasks, retryIntervalOverrides: retries };
}

async function outcome({ definition, input }) {
  try {
    const machine = new StateMachine(definition, { validationOptions: { noValidate: true } });
    return { output: (await machine.run(input, { overrides: overrides(definition) }).result) ?? null };
  } catch (error) {
    return { error: error.cause?.name ?? error.name, cause: String(error.cause?.message ?? error.message) };
  }
}

function patiently(promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, 5000, { error: 'hangs', cause: '' });
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// The package leaves the other branches of a failed Parallel to themselves.
process.on('unhandledRejection', () => {});

const items = JSON.parse(readFileSync(0, 'utf8'));
const outcomes = await Promise.all(items.map((item) => patiently(outcome(item))));
process.stdout.write(JSON.stringify(outcomes), () => process.exit(0));

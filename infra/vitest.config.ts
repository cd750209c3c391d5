import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A synth of the largest app takes a while on a busy machine.
    testTimeout: 120_000,
    // No snapshot updates itself: `npm test -- --update` does, after somebody has read the difference.
    update: 'none',
    // CloudFormation's own rules take longer than all tests: `make lint` has them, in the CLI's own synth.
    env: { CDK_VALIDATION: 'false' },
    // One worker, so that the CDK is loaded once: that takes longer than most tests.
    isolate: false,
    fileParallelism: false,
  },
});

import { resolve } from 'node:path';

/** The repository's root. */
export const ROOT = resolve(import.meta.dirname, '../..');

/** The one definition of the workflow: deployed, run locally and tested. */
export const DEFINITION = resolve(ROOT, 'statemachine/circuit-breaker.asl.json');

/** The policies of the example app. */
export const CIRCUITS = resolve(ROOT, 'statemachine/circuits');

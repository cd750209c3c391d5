import { existsSync, openSync, readFileSync, readSync, closeSync } from 'node:fs';
import { resolve } from 'node:path';
import { Architecture, Code } from 'aws-cdk-lib/aws-lambda';
import { ROOT } from './repository.ts';

/** The functions of the breaker; each is one directory with a `bootstrap`. */
export type FunctionName = 'call-partner' | 'acquire-probe' | 'record-outcome';

const FUNCTIONS: readonly FunctionName[] = ['call-partner', 'acquire-probe', 'record-outcome'];

/** By ELF's number of the machine (`e_machine`): 62 is x86-64, 183 AArch64. */
const MACHINES: ReadonlyMap<number, string> = new Map([
  [62, 'x86_64'],
  [183, 'arm64'],
]);

/** The executables of the functions, for one architecture. */
export class LambdaBinaries {
  readonly architecture: Architecture;
  /** Whether these only stand in for executables: such an app can be synthesised, and must not be deployed. */
  readonly arePlaceholders: boolean;
  readonly #directory: string | undefined;

  private constructor(directory: string | undefined, architecture: Architecture) {
    this.#directory = directory;
    this.architecture = architecture;
    this.arePlaceholders = directory === undefined;
  }

  /**
   * What `make lambdas` built: one directory per function, and a file `ARCHITECTURE` beside them.
   *
   * @param directory @default `dist/lambdas` of the repository
   * @throws Error if something is missing, or an executable is for another machine than the file says
   */
  static fromDirectory(directory = resolve(ROOT, 'dist/lambdas')): LambdaBinaries {
    const recorded = resolve(directory, 'ARCHITECTURE');
    if (!existsSync(recorded)) {
      throw new Error(`${recorded} is missing: build the functions with \`make lambdas\`, or synthesise without executables (LambdaBinaries.placeholders(); in the example app -c placeholders=true)`);
    }
    const architecture = readFileSync(recorded, 'utf8').trim();
    if (![...MACHINES.values()].includes(architecture)) {
      throw new Error(`${recorded} says ${JSON.stringify(architecture)}; allowed: ${[...MACHINES.values()].join(' or ')}`);
    }
    for (const name of FUNCTIONS) {
      const file = resolve(directory, name, 'bootstrap');
      if (!existsSync(file)) {
        throw new Error(`${file} is missing: build the functions with \`make lambdas\``);
      }
      const machine = machineOf(file);
      if (machine !== architecture) {
        throw new Error(`${file} is for ${machine}, but ${recorded} says ${architecture}: build the functions again with \`make lambdas ARCH=${architecture}\``);
      }
    }
    return new LambdaBinaries(directory, architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64);
  }

  /** Stand-ins, so that an app can be synthesised without executables, as in tests. */
  static placeholders(): LambdaBinaries {
    return new LambdaBinaries(undefined, Architecture.ARM_64);
  }

  /** The code of one function. */
  code(name: FunctionName): Code {
    return Code.fromAsset(
      this.#directory === undefined ? resolve(import.meta.dirname, '../placeholder') : resolve(this.#directory, name),
    );
  }
}

/** What machine an executable is for, read from its ELF header. */
function machineOf(file: string): string {
  const header = Buffer.alloc(20);
  const descriptor = openSync(file, 'r');
  try {
    if (readSync(descriptor, header) < header.length || header.toString('latin1', 0, 4) !== '\x7fELF') {
      return 'no machine (it is no ELF executable)';
    }
  } finally {
    closeSync(descriptor);
  }
  // Byte 5 says which end comes first: 1 the little one, 2 the big one.
  const machine = header[5] === 2 ? header.readUInt16BE(18) : header.readUInt16LE(18);
  return MACHINES.get(machine) ?? `machine ${machine}`;
}

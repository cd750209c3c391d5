// The executables: what machine they are for, and what stands in for them.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CircuitStore, LambdaBinaries } from '../lib/index.ts';
import { emptyStack, ofType, resources, template } from './support/app.ts';

const FUNCTIONS = ['call-partner', 'acquire-probe', 'record-outcome'];
const X86_64 = 62;
const AARCH64 = 183;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(resolve(tmpdir(), 'binaries-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** The beginning of an executable for a machine, as ELF has it. */
function elf(machine: number, { bigEndian = false } = {}): Buffer {
  const header = Buffer.alloc(64);
  header.write('\x7fELF', 'latin1');
  header[4] = 2; // 64 bits
  header[5] = bigEndian ? 2 : 1;
  bigEndian ? header.writeUInt16BE(machine, 18) : header.writeUInt16LE(machine, 18);
  return header;
}

function build(architecture: string | undefined, bootstrap: Buffer): LambdaBinaries {
  for (const name of FUNCTIONS) {
    mkdirSync(resolve(directory, name));
    writeFileSync(resolve(directory, name, 'bootstrap'), bootstrap);
  }
  if (architecture !== undefined) {
    writeFileSync(resolve(directory, 'ARCHITECTURE'), `${architecture}\n`);
  }
  return LambdaBinaries.fromDirectory(directory);
}

function architectures(binaries: LambdaBinaries): unknown[] {
  const stack = emptyStack();
  new CircuitStore(stack, 'Store', { binaries });
  return ofType(resources(stack), 'AWS::Lambda::Function').map(([, { Properties }]) => Properties['Architectures']);
}

describe('executables', () => {
  test.each([
    ['x86_64', X86_64],
    ['arm64', AARCH64],
  ])('for %s give the functions that architecture', (architecture, machine) => {
    expect(architectures(build(architecture, elf(machine)))).toEqual([[architecture], [architecture]]);
  });

  test.each([
    ['arm64', elf(X86_64), 'is for x86_64'],
    ['x86_64', elf(AARCH64), 'is for arm64'],
    ['arm64', elf(40), 'is for machine 40'],
    ['arm64', elf(AARCH64, { bigEndian: true }).fill(0, 18, 19), 'is for arm64'],
    ['x86_64', elf(X86_64 << 8, { bigEndian: true }), 'is for machine 15872'],
    ['x86_64', Buffer.from('#!/bin/sh\nexit 1\n# and more\n'), 'is for no machine (it is no ELF executable)'],
    ['x86_64', elf(X86_64).subarray(0, 19), 'is for no machine (it is no ELF executable)'],
    ['x86_64', Buffer.alloc(0), 'is for no machine (it is no ELF executable)'],
  ])('said to be for %s fail when the file is for another machine', (architecture, bootstrap, problem) => {
    const fits = problem === `is for ${architecture}`;
    if (fits) {
      // A header that is read from its other end.
      expect(build(architecture, bootstrap).arePlaceholders).toBe(false);
      return;
    }
    expect(() => build(architecture, bootstrap)).toThrow(
      `${resolve(directory, 'call-partner', 'bootstrap')} ${problem}, but ${resolve(directory, 'ARCHITECTURE')} says ${architecture}: build the functions again with \`make lambdas ARCH=${architecture}\``,
    );
  });

  test('fail when it is not said what they are for', () => {
    expect(() => build(undefined, elf(X86_64))).toThrow(
      `${resolve(directory, 'ARCHITECTURE')} is missing: build the functions with \`make lambdas\`, or synthesise without executables (LambdaBinaries.placeholders(); in the example app -c placeholders=true)`,
    );
  });

  test('fail when it is an architecture that Lambda has not', () => {
    expect(() => build('riscv64', elf(243))).toThrow('says "riscv64"; allowed: x86_64 or arm64');
  });

  test('fail when one is missing', () => {
    build('x86_64', elf(X86_64));
    rmSync(resolve(directory, 'record-outcome', 'bootstrap'));
    expect(() => LambdaBinaries.fromDirectory(directory)).toThrow(`${resolve(directory, 'record-outcome', 'bootstrap')} is missing: build the functions with \`make lambdas\``);
  });
});

describe('placeholders', () => {
  const parameters = (binaries: LambdaBinaries) => {
    const stack = emptyStack();
    new CircuitStore(stack, 'Store', { binaries });
    new CircuitStore(stack, 'Another', { binaries });
    return template(stack).Parameters;
  };

  test('are refused when they are deployed: a value is asked for, and none is allowed', () => {
    const { PlaceholdersMustNotBeDeployed: parameter, ...others } = parameters(LambdaBinaries.placeholders());
    expect(parameter).toMatchObject({ Type: 'String', AllowedPattern: '(?!x)x' });
    expect(parameter).not.toHaveProperty('Default');
    expect(Object.keys(others)).toEqual(['BootstrapVersion']);
    expect(['', 'x', 'true', '\n'].filter((value) => new RegExp(`^(?:${parameter?.['AllowedPattern'] as string})$`).test(value))).toEqual([]);
  });

  test('are not among executables', () => {
    expect(Object.keys(parameters(build('x86_64', elf(X86_64))))).toEqual(['BootstrapVersion']);
  });
});

describe('make lambdas', () => {
  /** Runs the script with a Rust for x86_64 that has no other target. */
  const build = (architecture: string) => {
    const rustc = resolve(directory, 'rustc');
    writeFileSync(rustc, `#!/bin/sh\n[ "$1" = -vV ] && echo host: x86_64-unknown-linux-gnu || echo ${directory}\n`);
    chmodSync(rustc, 0o755);
    const script = resolve(import.meta.dirname, '../scripts/lambdas.sh');
    const env = { ...process.env, PATH: `${directory}:${process.env['PATH'] ?? ''}`, ARCH: architecture, CARGO: 'false', OUT: resolve(directory, 'dist') };
    return spawnSync('bash', [script], { env, encoding: 'utf8' });
  };

  test('fails in one line when Rust has not the target', () => {
    const { status, stderr, stdout } = build('arm64');
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Missing to build for arm64 on x86_64-unknown-linux-gnu: Rust's aarch64-unknown-linux-gnu \(rustup target add aarch64-unknown-linux-gnu\); .*or build on a machine of that kind\n$/);
  });

  test('fails when it is an architecture that Lambda has not', () => {
    const { status, stderr } = build('riscv64');
    expect([status, stderr]).toEqual([1, "ARCH is 'riscv64'; allowed: arm64 or x86_64\n"]);
  });

  test('fails when the build does, and leaves nothing that looks whole', () => {
    const { status } = build('x86_64');
    expect(status).not.toBe(0);
    expect(() => LambdaBinaries.fromDirectory(resolve(directory, 'dist'))).toThrow('ARCHITECTURE is missing');
  });
});

/**
 * The real `openstack` client, driven by the tests. NUCLEON_TEST_OPENSTACK names its executable; without one there is nothing
 * to drive and the suites are skipped.
 */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The client's executable, where there is one. */
export const executable = process.env['NUCLEON_TEST_OPENSTACK'];

/** The `OS_*` variables that the client logs in with. */
export type Login = Readonly<Record<string, string>>;
/** An object as `-f json` prints it: by attribute from `show`, by column from `list`. */
export type Row = Readonly<Record<string, unknown>>;

interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function client(): string {
  if (executable === undefined) throw new Error('NUCLEON_TEST_OPENSTACK is not set: there is no client to run');
  return executable;
}

function environment(login: Login): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('OS_'));
  return { ...Object.fromEntries(others), ...login };
}

/** The words of a command line; double quotes hold one together. */
const words = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

const run = promisify(execFile);

/** Runs the executable once, as a person does, and gives what it prints. */
export async function openstack(login: Login, line: string): Promise<string> {
  const { stdout } = await run(client(), words(line), { env: environment(login), timeout: 60_000 });
  return stdout;
}

/** Runs a script of ours with the Python that the client is installed in, and gives what it prints. */
export async function python(login: Login, script: string, ...args: readonly string[]): Promise<string> {
  const interpreter = join(dirname(client()), 'python3');
  const { stdout } = await run(interpreter, [scriptPath(script), ...args], {
    env: environment(login),
    timeout: 60_000,
  });
  return stdout;
}

const scriptPath = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** One process of the client that takes command after command. */
export class Client {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;
  readonly #lines: Interface;
  #stderr = '';
  #last: Promise<unknown> = Promise.resolve();

  constructor(login: Login) {
    this.#process = spawn(join(dirname(client()), 'python3'), [scriptPath('client.py')], { env: environment(login) });
    this.#process.stderr.on('data', (chunk) => (this.#stderr += chunk));
    this.#lines = createInterface({ input: this.#process.stdout });
    this.#answers = this.#lines[Symbol.asyncIterator]();
  }

  /** Runs one command; commands that are given meanwhile wait for it. */
  run(line: string): Promise<Answer> {
    const answer = this.#last.then(async (): Promise<Answer> => {
      this.#process.stdin.write(`${JSON.stringify(words(line))}\n`);
      const { value, done } = await this.#answers.next();
      if (done === true) throw new Error(`the client has ended; it said: ${this.#stderr}`);
      return JSON.parse(value);
    });
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  /** What a command prints that succeeds. */
  async ok(line: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(line);
    if (code !== 0) throw new Error(`openstack ${line}\nfailed: ${stderr}`);
    return stdout;
  }

  /** What a command complains of that fails. */
  async refused(line: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(line);
    if (code === 0) throw new Error(`openstack ${line}\nwas not refused: ${stdout}`);
    return stderr;
  }

  /** The object that a command shows. */
  async one(line: string): Promise<Row> {
    return JSON.parse(await this.ok(`${line} -f json`));
  }

  /** The objects that a command lists. */
  async many(line: string): Promise<readonly Row[]> {
    return JSON.parse(await this.ok(`${line} -f json`));
  }

  /** One column of a list, sorted. */
  async column(line: string, column = 'Name'): Promise<readonly unknown[]> {
    return (await this.many(`${line} -c "${column}"`)).map((row) => row[column]).sort();
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('close', resolve));
    this.#process.stdin.end();
    await ended;
    this.#lines.close();
  }
}

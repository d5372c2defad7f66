/** `nucleon policy explain`, as an operator runs it. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../docs/support/markdown.ts';

interface Outcome {
  readonly code: number;
  readonly output: string;
  readonly complaints: string;
}

function explain(...words: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const args = ['bin/nucleon.mjs', 'policy', 'explain', ...words];
    execFile('node', args, { cwd: ROOT, timeout: 30_000 }, (error, output, complaints) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: output.trimEnd(), complaints }),
    );
  });
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nucleon-policy-'));
  await writeFile(join(folder, 'policy.yaml'), '"create_network:shared": "rule:admin_only or role:network_sharer"\n');
  await writeFile(join(folder, 'neutron.conf'), `[oslo_policy]\npolicy_file = ${folder}/policy.yaml\n`);
});
afterAll(() => rm(folder, { recursive: true }));

describe('nucleon policy explain', () => {
  it('says which checks allow a caller, with exit code 0', async () => {
    const { code, output } = await explain(
      ...['--rule', 'create_network', '--roles', 'member', '--project', 'p1', '--target', '{"project_id": "p1"}'],
    );
    expect(code).toBe(0);
    expect(output.split('\n')).toEqual([
      'rule:create_network is allowed (as built in)',
      '  + rule:admin_only or (role:member and project_id:%(project_id)s) (any of)',
      '    - rule:admin_only (as built in)',
      '      - rule:context_is_admin (as built in)',
      '        - role:admin (the caller has the roles member)',
      '    + role:member and project_id:%(project_id)s (all of)',
      '      + role:member (the caller has the roles member)',
      "      + project_id:%(project_id)s (the caller's project is p1, project_id is p1)",
    ]);
  });

  it('says which checks deny a caller, with exit code 1, and what was not told of the object', async () => {
    const { code, output } = await explain('create_network', '--roles', 'member', '--project', 'p1');
    expect(code).toBe(1);
    expect(output).toContain('rule:create_network is denied (as built in)');
    expect(output).toContain("- project_id:%(project_id)s (the caller's project is p1, project_id is not known)");
    expect(output.split('\n').at(-1)).toBe('Read of the object, but not told by --target: project_id');
  });

  it('asks with the operator’s files, and says so', async () => {
    const words = ['--rule', 'create_network:shared', '--roles', 'network_sharer'];
    expect((await explain(...words)).code).toBe(1);
    const { code, output } = await explain(...words, '--config-file', join(folder, 'neutron.conf'));
    expect(code).toBe(0);
    expect(output).toContain('rule:create_network:shared is allowed (from the policy file)');
  });

  it('takes an administrator for one, as the API does', async () => {
    const { code } = await explain('--rule', 'get_agent', '--roles', 'ADMIN', '--project', 'p1');
    expect(code).toBe(0);
  });

  it('names the rule that was meant, and what is asked instead', async () => {
    const { code, output, complaints } = await explain('create_netwrk', '--roles', 'member');
    expect(code).toBe(1);
    expect(complaints).toContain('has the rule create_netwrk; did you mean create_network?');
    expect(output).toContain('not defined, so "default" is asked');
  });

  it.each([
    [[], '--rule is missing'],
    [
      ['create_port', '--rule', 'create_network'],
      'one rule at a time: "create_port" and --rule create_network are two',
    ],
    [['create_port', '--target', 'p1'], '--target is not JSON'],
    [['create_port', '--target', '[]'], '--target must be a JSON object of attributes'],
  ])('refuses %j as misuse', async (words, message) => {
    const { code, complaints } = await explain(...words);
    expect(code).toBe(2);
    expect(complaints).toContain(message);
  });
});

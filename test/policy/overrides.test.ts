/** The operator's policy files: found, read in order, and obeyed by the API. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allOptions, configFrom } from '#src/config/mod.ts';
import { nodeFiles } from '#src/runtime/node/files.ts';
import { readPolicyFiles } from '#src/server/policy_files.ts';
import { member, Stack } from '../support/stack.ts';

describe('readPolicyFiles()', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nucleon-policy-'));
    await mkdir(join(folder, 'policy.d'));
    for (const name of ['policy.yaml', 'policy.d/20.yaml', 'policy.d/10.yml', 'policy.d/notes.txt']) {
      await writeFile(join(folder, name), name);
    }
  });
  afterAll(() => rm(folder, { recursive: true }));

  const read = (policy_file: string, ...policy_dirs: readonly string[]) =>
    readPolicyFiles(nodeFiles, configFrom(allOptions, { oslo_policy: { policy_file, policy_dirs } }));

  it('reads the file, then the folders’ YAML files by name', async () => {
    expect(await read(join(folder, 'policy.yaml'), join(folder, 'policy.d'))).toEqual([
      'policy.yaml',
      'policy.d/10.yml',
      'policy.d/20.yaml',
    ]);
  });

  it('says which file that is named cannot be read', async () => {
    await expect(read(join(folder, 'absent.yaml'))).rejects.toThrow(`the policy file ${folder}/absent.yaml`);
  });

  it('does without a folder that is not there', async () => {
    expect(await read(join(folder, 'policy.yaml'), join(folder, 'absent'))).toEqual(['policy.yaml']);
  });
});

describe('the API under an operator’s policy', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await Stack.start('policy_overrides', {}, 4, [
      '"create_network:shared": "rule:admin_only or role:sharer"\n"get_network:mtu": "rule:admin_only"\n',
      '"delete_network": "!"\n',
    ]);
  });
  afterAll(() => stack.stop());

  const sharer = { project: 'alice', roles: 'member,sharer' };

  it('allows what a rule was opened for, and nobody else', async () => {
    const body = { network: { shared: true } };
    expect((await stack.call('POST', '/v2.0/networks', { as: sharer, body })).status).toBe(201);
    expect((await stack.call('POST', '/v2.0/networks', { as: member('alice'), body })).status).toBe(403);
  });

  it('withholds an attribute that a new rule names', async () => {
    const { id } = await stack.create('network', {}, member('alice'));
    const own = await stack.call('GET', `/v2.0/networks/${id}`, { as: member('alice') });
    const all = await stack.call('GET', `/v2.0/networks/${id}`);
    expect(own.body.network).not.toHaveProperty('mtu');
    expect(all.body.network).toHaveProperty('mtu');
  });

  it('forbids everybody what a later file forbids', async () => {
    const { id } = await stack.create('network', {});
    expect((await stack.call('DELETE', `/v2.0/networks/${id}`)).status).toBe(403);
  });
});

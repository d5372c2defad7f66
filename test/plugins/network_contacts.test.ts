/**
 * The plugin of examples/network_contacts, loaded by a real server from outside of src/, with everything that a plugin can
 * bring: a resource, a table, rules, options, a quota, a subscription, messages, RPC and a worker.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser } from '#src/broker/mod.ts';
import { systemClock } from '#src/lib/clock.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import type { RpcMessage } from '#src/lib/rpc.ts';
import { type AgentConnection, connectAgent, createTopics } from '#src/rpc/mod.ts';
import { nodeRuntime } from '#src/runtime/node/runtime.ts';
import { CHANGE_TOPIC, REQUEST_TOPIC } from '../../examples/network_contacts/contract.ts';
import { createDatabase } from '../support/database.ts';
import { freePort, type Nucleon, startNucleon, until } from '../support/nucleon.ts';
import { type Ask, asking } from './support/request.ts';

const PLUGIN = fileURLToPath(new URL('../../examples/network_contacts/mod.ts', import.meta.url));
const HOST = 'compute1';

describe('a plugin from outside', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let server: Nucleon;
  let admin: Ask;
  let alice: Ask;
  let bob: Ask;
  let agent: AgentConnection;

  beforeAll(async () => {
    database = await createDatabase('contacts');
    const mqttPort = await freePort();
    server = await startNucleon({
      env: {
        OS_DEFAULT__SERVICE_PLUGINS: PLUGIN,
        OS_DEFAULT__AUTH_STRATEGY: 'noauth',
        OS_DEFAULT__API_WORKERS: '1',
        OS_DEFAULT__RPC_WORKERS: '1',
        OS_EMBEDDED__MQTT_PORT: String(mqttPort),
        OS_EMBEDDED__MQTT_WS_PORT: '0',
        OS_DATABASE__CONNECTION: database.url,
        OS_NETWORK_CONTACTS__EMAIL_DOMAINS: 'example.org,example.net',
        OS_NETWORK_CONTACTS__PURGE_INTERVAL: '1',
        OS_QUOTAS__QUOTA_NETWORK_CONTACT: '40',
      },
    });
    admin = asking(server.url);
    alice = asking(server.url, 'alice');
    bob = asking(server.url, 'bob');
    agent = await connectHost(mqttPort);
  });
  afterAll(async () => {
    await agent?.stop();
    await server?.stop();
    await database?.drop();
  });

  /** An agent of the host, known to the embedded broker. */
  async function connectHost(port: number): Promise<AgentConnection> {
    const { files } = nodeRuntime(fileURLToPath(import.meta.url));
    const credential = { username: HOST, password: 'a password of compute1', generated: true };
    await addUser(files, join(server.stateDir, 'mqtt', 'users'), credential);
    return await connectAgent({
      url: `mqtt://127.0.0.1:${port}`,
      ...credential,
      topics: createTopics(),
      host: HOST,
      binary: 'contacts-agent',
      log: silentLogger,
      metrics: silentMetrics,
      clock: systemClock,
    });
  }

  async function createNetwork(ask: Ask, name: string): Promise<string> {
    const { status, body } = await ask('POST', 'networks', { network: { name } });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.network.id;
  }

  const createContact = (ask: Ask, network_id: string, more: Readonly<Record<string, unknown>> = {}) =>
    ask('POST', 'network_contacts', { network_contact: { network_id, email: 'ann@example.org', ...more } });

  it('is served: its alias is among the extensions', async () => {
    const { body } = await admin('GET', 'extensions/network-contact');
    expect(body.extension).toMatchObject({ alias: 'network-contact', name: 'Network contacts' });
  });

  it('serves its resource: create, show, list, update, delete', async () => {
    const network = await createNetwork(alice, 'crud');
    const created = await createContact(alice, network, { name: 'Ann', expires_at: '2040-01-02T03:04:05+01:00' });
    expect(created.status).toBe(201);
    const contact = created.body.network_contact;
    expect(contact).toMatchObject({
      network_id: network,
      project_id: 'alice',
      tenant_id: 'alice',
      name: 'Ann',
      email: 'ann@example.org',
      notify: false,
      expires_at: '2040-01-02T02:04:05Z',
      revision_number: 0,
    });
    expect((await alice('GET', `network_contacts/${contact.id}`)).body.network_contact).toEqual(contact);
    expect((await alice('GET', `network-contacts?network_id=${network}&fields=name`)).body).toEqual({
      network_contacts: [{ name: 'Ann' }],
    });
    const update = { network_contact: { name: 'Ann B.' } };
    const updated = await alice('PUT', `network_contacts/${contact.id}`, update, { 'if-match': 'revision_number=0' });
    expect(updated.body.network_contact).toMatchObject({ name: 'Ann B.', revision_number: 1 });
    const stale = await alice('PUT', `network_contacts/${contact.id}`, update, { 'if-match': 'revision_number=0' });
    expect(stale).toMatchObject({ status: 412, body: { NeutronError: { type: 'RevisionNumberConstraintFailed' } } });
    expect((await alice('DELETE', `network_contacts/${contact.id}`)).status).toBe(204);
    expect(await alice('GET', `network_contacts/${contact.id}`)).toMatchObject({
      status: 404,
      body: { NeutronError: { type: 'NetworkContactNotFound' } },
    });
  });

  it('gets filters, sorting and pages from its reading', async () => {
    const network = await createNetwork(alice, 'pages');
    const names = ['c', 'a', 'b'];
    const bulk = names.map((name) => ({ network_id: network, email: `${name}@example.org`, name }));
    expect((await alice('POST', 'network_contacts', { network_contacts: bulk })).status).toBe(201);
    const list = `network_contacts?network_id=${network}&sort_key=name&sort_dir=asc`;
    const first = (await alice('GET', `${list}&limit=2`)).body;
    expect(first.network_contacts.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
    expect(first.network_contacts_links[0].rel).toBe('next');
    const rest = (await alice('GET', `${list}&limit=2&marker=${first.network_contacts[1].id}`)).body;
    expect(rest.network_contacts.map(({ name }: { name: string }) => name)).toEqual(['c']);
    expect((await alice('GET', `${list}&name=b`)).body.network_contacts).toHaveLength(1);
  });

  it('checks bodies by its own rules and options', async () => {
    const network = await createNetwork(alice, 'bodies');
    const reason = async (more: Readonly<Record<string, unknown>>) => {
      const { status, body } = await createContact(alice, network, more);
      return [status, body.NeutronError?.message];
    };
    expect(await reason({ email: 'ann' })).toEqual([
      400,
      "Invalid input for email. Reason: 'ann' is not an e-mail address.",
    ]);
    expect(await reason({ email: 'ann@elsewhere.org' })).toEqual([
      400,
      "Invalid input for email. Reason: 'ann@elsewhere.org' is not of one of the domains example.org, example.net.",
    ]);
    expect(await reason({ expires_at: 'tomorrow' })).toEqual([
      400,
      "Invalid input for operation: 'tomorrow' is not a time like 2030-01-31T12:00:00Z.",
    ]);
    expect(await reason({ nickname: 'x' })).toEqual([400, "Unrecognized attribute(s) 'nickname'"]);
  });

  it('is held to its policy: others see nothing, the owner of the network sees all', async () => {
    const network = await createNetwork(alice, 'policy');
    const { id } = (await createContact(admin, network, { project_id: 'carol' })).body.network_contact;
    expect((await bob('GET', `network_contacts/${id}`)).status).toBe(404);
    expect((await bob('GET', `network_contacts?network_id=${network}`)).body.network_contacts).toEqual([]);
    expect((await createContact(bob, network)).status).toBe(404);
    expect((await alice('GET', `network_contacts/${id}`)).status).toBe(200);
    expect((await alice('PUT', `network_contacts/${id}`, { network_contact: { name: 'x' } })).status).toBe(403);
    expect((await alice('DELETE', `network_contacts/${id}`)).status).toBe(204);
  });

  it('says which network there is none of', async () => {
    const nowhere = crypto.randomUUID();
    expect(await createContact(admin, nowhere)).toMatchObject({
      status: 404,
      body: { NeutronError: { type: 'NetworkNotFound' } },
    });
  });

  it('is counted against a quota, exactly, however many create at once', async () => {
    const network = await createNetwork(bob, 'quota');
    expect((await admin('GET', 'quotas/bob')).body.quota.network_contact).toBe(40);
    expect((await admin('PUT', 'quotas/bob', { quota: { network_contact: 2 } })).status).toBe(200);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => createContact(bob, network)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409]);
    const over = answers.find(({ status }) => status === 409);
    expect(over?.body.NeutronError).toMatchObject({
      type: 'OverQuota',
      message: "Quota exceeded for resources: ['network_contact'].",
    });
  });

  it('keeps a network whose contacts must be asked, and lets the others go with it, uncounted', async () => {
    const network = await createNetwork(bob, 'kept');
    await admin('PUT', 'quotas/bob', { quota: { network_contact: 10 } });
    const used = async () => (await admin('GET', 'quotas/bob/details.json')).body.quota.network_contact.used;
    const before = await used();
    const { id } = (await createContact(bob, network, { notify: true })).body.network_contact;
    await createContact(bob, network, { email: 'ben@example.net' });
    expect(await used()).toBe(before + 2);
    expect(await bob('DELETE', `networks/${network}`)).toMatchObject({
      status: 409,
      body: {
        NeutronError: { type: 'NetworkContactMustBeAsked', message: expect.stringContaining('ann@example.org') },
      },
    });
    expect((await bob('PUT', `network_contacts/${id}`, { network_contact: { notify: false } })).status).toBe(200);
    expect((await bob('DELETE', `networks/${network}`)).status).toBe(204);
    expect((await bob('GET', `network_contacts/${id}`)).status).toBe(404);
    expect(await used()).toBe(before);
  });

  it('tells the hosts of a network what changed, and answers what they ask', async () => {
    const told: RpcMessage[] = [];
    await agent.client.subscribe(CHANGE_TOPIC, (message) => {
      told.push(message);
    });
    const [here, elsewhere] = [await createNetwork(alice, 'here'), await createNetwork(alice, 'elsewhere')];
    const port = { network_id: here, 'binding:host_id': HOST };
    expect((await admin('POST', 'ports', { port })).status).toBe(201);
    await createContact(alice, elsewhere);
    await createContact(alice, here, { name: 'Ann' });
    const message = await until('the message about the contact', async () => told[0]);
    expect(message).toMatchObject({ method: 'network_contacts_changed', args: { network_id: here }, version: '1.0' });
    const answer = await agent.client.call(REQUEST_TOPIC, 'get_network_contacts', { network_ids: [here, elsewhere] });
    expect(answer).toEqual({ [here]: [{ name: 'Ann', email: 'ann@example.org', notify: false }] });
    expect(told).toHaveLength(1);
    const wrong = agent.client.call(REQUEST_TOPIC, 'get_network_contacts', { network_ids: 'all' });
    await expect(wrong).rejects.toMatchObject({ type: 'InvalidInput' });
  });

  it('has its worker run: contacts that have expired are gone, and uncounted', async () => {
    const network = await createNetwork(alice, 'purge');
    const used = async () => (await admin('GET', 'quotas/alice/details.json')).body.quota.network_contact.used;
    const before = await used();
    const created = await createContact(alice, network, { expires_at: '2020-01-01T00:00:00Z' });
    const { id } = created.body.network_contact;
    await until('the contact is gone', async () => (await alice('GET', `network_contacts/${id}`)).status === 404);
    expect(await used()).toBe(before);
  });

  it('has its migrations recorded beside ours', async () => {
    expect(server.output()).toContain('network_contacts/0000_network_contacts');
  });
});

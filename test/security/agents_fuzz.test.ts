/**
 * Whatever an agent sends is answered in time, with a result or an error that is the agent's: never a defect, never a crash,
 * never an error in the log. What is refused has changed no table. Every method of every endpoint, found by program.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { difference } from '../support/fingerprint.ts';
import { EXAMPLES } from './agents_methods.ts';
import { AgentWorld, type Answered, type Method, methodsOf, type Side, shortly } from './agents_support.ts';
import { PROPERTY_MS, TEXTS, tries, value } from './hostile.ts';

let world: AgentWorld;
let alice: Side;
let bob: Side;
/** What the tables hold, where it is known. */
let before: string | undefined;
const outcomes = new Map<string, number>();

beforeAll(async () => {
  world = await AgentWorld.start('agents_fuzz');
});
beforeEach(async () => {
  await world.clear();
  alice = await world.furnish(1, 'alice');
  bob = await world.furnish(2, 'bob');
  before = undefined;
});
afterAll(() => world.stop());

async function neverADefect(method: Method, args: unknown, host = bob.host, again = false): Promise<Answered> {
  before ??= await world.fingerprint();
  const statements = world.statements();
  const answer = await world.ask(host, method, args);
  const outcome = answer.failure?.type ?? 'result';
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  // Where no statement was sent, nothing was changed.
  if (world.statements() === statements) return answer;
  if (answer.failure === undefined) {
    before = undefined;
    return answer;
  }
  const after = await world.fingerprint();
  if (after !== before) {
    const changed = difference(before, after);
    before = after;
    // What an agent's start sets going goes on behind the answer: then it does not happen each time.
    if (!again) return await neverADefect(method, args, host, true);
    throw new Error(`${method.name} ${shortly(args)} was refused (${outcome}) and changed something:\n${changed}`);
  }
  return answer;
}

const methods = (): readonly Method[] => methodsOf(world.stack);
const named = (name: string): Method => methods().find((method) => method.name === name)!;

/** What is served on both topics is one. */
const ALL = Object.keys(EXAMPLES).filter(
  (name) =>
    !(
      name.replace('q-plugin ', 'q-reports-plugin ') !== name &&
      name.replace('q-plugin ', 'q-reports-plugin ') in EXAMPLES
    ),
);

type Path = readonly (string | number)[];

/** Every place within arguments; of a list's, the first and its own. */
function places(args: unknown, path: Path = []): readonly Path[] {
  if (typeof args !== 'object' || args === null) return [];
  return Object.entries(args).flatMap(([key, member]) => {
    if (Array.isArray(args) && key !== '0') return [];
    const here = [...path, Array.isArray(args) ? Number(key) : key];
    return [here, ...places(member, here)];
  });
}

/** Examples, without those that have no place that the ones before did not have. */
function distinct(examples: readonly Readonly<Record<string, unknown>>[]): typeof examples {
  const known = new Set<string>();
  return examples.filter((args) => {
    const fresh = places(args)
      .map((path) => String(path).replace(/[0-9a-f-]{36}/, '<id>'))
      .filter((place) => !known.has(place));
    for (const place of fresh) known.add(place);
    return fresh.length > 0 || known.size === 0;
  });
}

const at = (args: unknown, path: Path): unknown => path.reduce((value, key) => (value as never)[key], args);

/** The arguments with something else in a place; undefined leaves it out. */
function changed(args: object, path: Path, replacement: unknown): object {
  const copy = structuredClone(args);
  const [last, ...above] = path.toReversed();
  const holder = at(copy, above.toReversed()) as Record<string | number, unknown>;
  if (Array.isArray(holder) && replacement === undefined) holder.splice(Number(last), 1);
  else if (replacement === undefined) delete holder[last!];
  else
    Object.defineProperty(holder, last!, { value: replacement, enumerable: true, configurable: true, writable: true });
  return copy;
}

const nested = (depth: number): unknown =>
  depth === 0 ? 1 : depth % 2 === 0 ? [nested(depth - 1)] : { a: nested(depth - 1) };
const own = (key: string, value: unknown) => JSON.parse(`{${JSON.stringify(key)}: ${JSON.stringify(value)}}`);
const MANY = 100_000;
/** As many as a message has room for. */
const MANY_NAMES = Array.from({ length: MANY }, (_, n) => n.toString(36));
const HUGE = [MANY_NAMES, Object.fromEntries(MANY_NAMES.map((name) => [name, []]))];

/** What is put in the place of a value. */
function hostile(value: unknown): readonly unknown[] {
  const strings = typeof value === 'string' ? [`${value}\0`, `${value}\ud800`, value.toUpperCase()] : [];
  const { port, network, subnet, agent, host, device_id, dhcp_port, mac } = alice;
  return [
    ...[undefined, null, true, 0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308],
    ...['', 'x'.repeat(256), 'x'.repeat(MANY), '9'.repeat(400), '\0', '\u202e', '%', "'; drop table ports; --"],
    ...['__proto__', 'constructor', '00000000-0000-4000-8000-00000000000A', crypto.randomUUID()],
    ...[[], {}, [[]], [null], [{}], ['\0'], ['__proto__'], { a: 1 }, nested(60), nested(80)],
    ...[own('__proto__', ['x']), own('constructor', ['x']), own('a\0b', ['x'])],
    ...strings,
    ...[port, network, subnet, agent, host, device_id, dhcp_port, mac],
  ];
}

describe('whatever is sent', () => {
  it('goes to every method of every endpoint', () => {
    // A new method needs a row in agents_methods.ts.
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(
      methods()
        .map(({ name }) => name)
        .toSorted(),
    );
  });

  it.each(ALL)(
    'in the place of arguments of %s',
    async (name) => {
      const method = named(name);
      for (const [nth, args] of distinct(EXAMPLES[name]!(bob)).entries()) {
        for (const path of places(args)) {
          for (const replacement of hostile(at(args, path)))
            await neverADefect(method, changed(args, path, replacement));
        }
        const [first] = places(args);
        if (nth > 0 || first === undefined) continue;
        for (const huge of HUGE) await neverADefect(method, changed(args, first, huge));
      }
      for (const args of [undefined, null, [], 'x', 7, {}, nested(60), own('__proto__', {}), own('constructor', 1)]) {
        await neverADefect(method, args);
      }
      for (const host of ['h'.repeat(300), '\u{1f600}', 'a b/c', '__proto__', "' or true"]) {
        for (const args of EXAMPLES[name]!({ ...bob, host })) await neverADefect(method, args, host);
      }
    },
    PROPERTY_MS,
  );

  it('is refused when it is larger than a message, or a list longer than the method says', async () => {
    const ask = async (name: string, args: object) => (await neverADefect(named(name), args)).failure?.type;
    expect(await ask('q-plugin pull', { resource_type: 'x'.repeat(2 ** 20) })).toBe('MessageTooLarge');
    expect(await ask('q-plugin get_devices_details_list', { devices: MANY_NAMES })).toBe('InvalidInput');
    expect(await ask('q-plugin update_device_list', { devices_up: MANY_NAMES })).toBe('InvalidInput');
    expect(await ask('q-plugin security_group_info_for_devices', { devices: MANY_NAMES })).toBe('InvalidInput');
    expect(await ask('q-plugin dhcp_ready_on_ports', { port_ids: MANY_NAMES })).toBe('InvalidInput');
    expect(await ask('q-plugin get_networks', { fields: MANY_NAMES })).toBe('InvalidInput');
    const configurations = { bridge_mappings: MANY_NAMES };
    const { agent_state } = EXAMPLES['q-plugin report_state']!(bob)[0] as { agent_state: { agent_state: object } };
    const state = { ...agent_state.agent_state, configurations };
    expect(await ask('q-plugin report_state', { agent_state: { agent_state: state } })).toBe('InvalidInput');
  });

  it(
    'anywhere in it',
    async () => {
      const request = fc.record({
        name: fc.constantFrom(...Object.keys(EXAMPLES)),
        example: fc.nat(30),
        changes: fc.array(fc.tuple(fc.nat(50), value), { minLength: 1, maxLength: 3 }),
        more: fc.array(fc.tuple(fc.constantFrom(...NAMES, ...TEXTS), value), { maxLength: 2 }),
        side: fc.constantFrom('alice', 'bob'),
      });
      await fc.assert(
        fc.asyncProperty(request, async ({ name, example, changes, more, side }) => {
          const examples = EXAMPLES[name]!(side === 'alice' ? { ...alice, host: bob.host } : bob);
          let args: object = { ...structuredClone(examples[example % examples.length]), ...Object.fromEntries(more) };
          for (const [place, replacement] of changes) {
            const all = places(args);
            if (all.length > 0) args = changed(args, all[place % all.length]!, replacement);
          }
          await neverADefect(named(name), args);
        }),
        tries(1500),
      );
    },
    PROPERTY_MS,
  );
});

const NAMES = [
  'limit',
  'marker',
  'after',
  'until',
  'host',
  'agent_id',
  'filters',
  'fields',
  'paged',
  'known',
  'devices',
];

it('requests came through, and were refused for what they were', () => {
  for (const outcome of [
    'result',
    'InvalidInput',
    'ForeignHost',
    'MessageTooLarge',
    'MalformedMessage',
    'PortNotFound',
  ]) {
    expect(outcomes.get(outcome), outcome).toBeGreaterThan(0);
  }
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { adminContext, type Context } from '#src/lib/context.ts';
import type { Logger } from '#src/lib/log.ts';
import { silentLogger } from '#src/lib/log.ts';
import type { PolicyTarget } from '#src/lib/policy.ts';
import { type Check, checkText } from './check.ts';
import { createPolicy, explainText, PolicyLoadError, projectPolicies } from './mod.ts';
import { parseCheck } from './parse.ts';

const nobody: Context = { ...adminContext('req-1'), roles: [], is_admin: false };
const caller = (fields: Partial<Context>): Context => ({ ...nobody, ...fields });
const member = caller({ roles: ['member', 'reader'], project_id: 'p1', user_id: 'u1' });
const admin = adminContext('req-1');

function policyOf(overrides?: string, log: Logger = silentLogger) {
  const defaults = projectPolicies({
    create_thing: '(rule:admin_only) or (role:member and project_id:%(project_id)s)',
    get_thing: 'rule:create_thing or rule:shared',
    'get_thing:tags': { check: 'rule:get_thing', former_name: 'get_things_tags' },
  });
  return createPolicy({ defaults, log, ...(overrides === undefined ? {} : { overrides }) });
}

/** Whether a check string holds, asked through a policy file. */
function holds(check: unknown, context: Context, target: PolicyTarget): boolean {
  return policyOf(JSON.stringify({ create_thing: check })).allows(context, 'create_thing', target);
}

describe('a check holds as oslo.policy has it:', () => {
  const own = { project_id: 'p1', user_id: 'u1' };
  test.each<[unknown, Context, PolicyTarget, boolean]>([
    ['', nobody, {}, true],
    ['@', nobody, {}, true],
    ['!', admin, {}, false],
    ['role:member', member, {}, true],
    ['role:MEMBER', member, {}, true],
    ['role:member', caller({ roles: ['Member'] }), {}, true],
    ['role:admin', member, {}, false],
    ['role:%(wanted)s', member, { wanted: 'Reader' }, true],
    ['role:%(wanted)s', member, {}, false],
    ['rule:regular_user', nobody, {}, true],
    ['project_id:%(project_id)s', member, own, true],
    ['project_id:%(project_id)s', member, { project_id: 'p2' }, false],
    ['project_id:%(project_id)s', member, {}, false],
    ['tenant_id:%(tenant_id)s', member, own, true],
    ['project_id:%(network:project_id)s', member, { 'network:project_id': 'p1' }, true],
    ['project_id:%(network:tenant_id)s', member, { 'network:project_id': 'p1' }, true],
    ['project_id:%(network:project_id)s', member, own, false],
    ['project_id:%(project_id)s', nobody, { project_id: null }, false],
    ['project_id:%(project_id)s', caller({ project_id: 'None' }), { project_id: undefined }, false],
    ['user_id:%(user_id)s', member, own, true],
    ['user_id:u1', member, {}, true],
    ['user_id:%(user_id)s', member, { user_id: 'u2' }, false],
    ['is_admin:True', admin, {}, true],
    ['is_admin:True', member, {}, false],
    ['system_scope:None', member, {}, true],
    ['roles:reader', member, {}, true],
    ['no_such_thing:x', member, {}, false],
    ['constructor:x', member, {}, false],
    ["'eth0':%(name)s", member, { name: 'eth0' }, true],
    ['"eth0":%(name)s', member, { name: 'eth1' }, false],
    ["'a:b':%(name)s", member, { name: 'a:b' }, true],
    ['None:%(owner)s', member, { owner: null }, true],
    ['None:%(owner)s', member, {}, false],
    ['True:%(shared)s', member, { shared: true }, true],
    ['12:%(size)s', member, { size: 12 }, true],
    ["'p1-12':%(project_id)s-%(size)s", member, { ...own, size: 12 }, true],
    ["'100%':100%%", member, {}, true],
    ['field:networks:shared=True', member, { shared: true }, true],
    ['field:networks:shared=True', member, { shared: false }, false],
    ['field:networks:shared=True', member, {}, false],
    ['field:networks:shared=True', member, { 'network:shared': true }, true],
    ['field:networks:shared=True', member, { shared: false, 'network:shared': true }, false],
    ['field:policies:shared=True', member, { 'policy:shared': true }, true],
    ['field:networks:router:external=True', member, { 'router:external': true }, true],
    ['field:rbac_policy:target_tenant=*', member, { target_tenant: '*' }, true],
    ['field:networks:mtu=1500', member, { mtu: 1500 }, true],
    ['field:port:device_owner=~^network:', member, { device_owner: 'network:dhcp' }, true],
    ['field:port:device_owner=~network:', member, { device_owner: 'a network:dhcp' }, false],
    ['field:port:device_owner=~^(network|compute):', member, { device_owner: 'compute:nova' }, true],
    ['(field:port:device_owner=~(network|compute))', member, { device_owner: 'compute' }, true],
    ['field:port:device_owner=~^network:', member, { device_owner: null }, false],
    // not before and before or, in any case, with parentheses.
    ['not role:admin', member, {}, true],
    ['NOT role:admin AND role:member', member, {}, true],
    ['not not role:member', member, {}, true],
    ['@ or ! and !', member, {}, true],
    ['! and ! or @', member, {}, true],
    ['(@ or !) and !', member, {}, false],
    ['not (@ or !)', member, {}, false],
    ['not ! and !', member, {}, false],
    ['((role:member))', member, {}, true],
    ['( role:member and ( ! or role:reader ) )', member, {}, true],
    // Lists: any item; all of an inner list.
    [[], nobody, {}, true],
    [['role:admin', 'role:member'], member, {}, true],
    [[['role:admin', 'role:member']], member, {}, false],
    [[['role:reader', 'role:member'], 'role:admin'], member, {}, true],
    [[[]], member, {}, false],
  ])('%j', (check, context, target, expected) => expect(holds(check, context, target)).toBe(expected));
});

describe('createPolicy() refuses at load', () => {
  test.each<[string, unknown, string]>([
    ['a word that is no check', 'admin', '"admin" is no check'],
    ['an open parenthesis', '(role:a', 'a "(" is never closed'],
    ['a closing one too many', 'role:a)', '")" stands where "and" or "or" is expected'],
    ['two checks in a row', 'role:a role:b', '"role:b" stands where "and" or "or" is expected'],
    ['an operator without its check', 'role:a and', 'it ends where a check is expected'],
    ['an operator in a check’s place', 'or role:a', '"or" stands where a check is expected'],
    ['a field check without a value', 'field:networks:shared', 'must read "field:collection:attribute=value"'],
    ['a broken regular expression', 'field:port:name=~*', 'no regular expression'],
    ['a remote check', 'http://example.org/check', 'remote server, which is not supported'],
    ['a remote check over TLS', 'role:a or https://example.org/check', 'remote server, which is not supported'],
    ['a percent sign that means nothing', 'user_id:100%', 'begins neither'],
    ['nothing, which would allow everybody', null, 'write "@" to allow everybody'],
    ['a number', 7, 'it must be a text or a list'],
    ['a list of numbers', [7], 'texts and lists of texts only'],
  ])('%s', (_, check, message) => {
    expect(() => policyOf(JSON.stringify({ create_thing: check }))).toThrow(PolicyLoadError);
    expect(() => policyOf(JSON.stringify({ create_thing: check }))).toThrow(message);
  });

  test('circles, naming the way round', () => {
    expect(() => policyOf('a: rule:b\nb: not rule:c\nc: rule:a')).toThrow('a -> b -> c -> a');
    expect(() => policyOf('default: rule:nowhere')).toThrow('default -> default');
  });
  test('text that is no YAML, or no map', () => {
    expect(() => policyOf('a: "')).toThrow(PolicyLoadError);
    expect(() => policyOf('- a')).toThrow('must map names of rules to checks');
  });
  test('one rule with two defaults that differ', () => {
    const defaults = [...projectPolicies({ a: '@' }), ...projectPolicies({ a: '!' })];
    expect(() => createPolicy({ defaults, log: silentLogger })).toThrow('"a" is declared twice');
  });
  test('everything that is wrong at once', () => {
    expect(() => policyOf('a: x\nb: y')).toThrow(/"a".*\n.*"b"/);
  });
});

describe('createPolicy() takes the operator’s file', () => {
  const warned = (overrides: string) => {
    const warnings: string[] = [];
    const policy = policyOf(overrides, { ...silentLogger, warn: (message) => warnings.push(message) });
    return { policy, warnings };
  };
  test('over the defaults, through references too', () => {
    const { policy, warnings } = warned('create_thing: "!"');
    expect([policy.allows(admin, 'create_thing', {}), policy.allows(admin, 'get_thing', {}), warnings]).toEqual([
      false,
      false,
      [],
    ]);
  });
  test('the later text over the earlier', () => {
    const policy = createPolicy({
      defaults: projectPolicies({ a: '!' }),
      overrides: ['a: "!"\nb: "@"', 'a: "@"'],
      log: silentLogger,
    });
    expect(policy.allows(nobody, 'a', {})).toBe(true);
  });
  test('empty, or with comments only', () => {
    expect(warned('# nothing').warnings).toEqual([]);
    expect(warned('').policy.defines('create_thing')).toBe(true);
  });
  test('with a warning for an unknown name and the nearest one', () => {
    expect(warned('create_thng: "@"').warnings).toEqual([
      'policy file: no rule "create_thng" is known here; it only has effect if another rule names it; did you mean "create_thing"?',
    ]);
  });
  test('with a warning for a reference to nothing', () => {
    expect(warned('create_thing: rule:admin_onyl').warnings).toEqual([
      'rule "create_thing" asks "rule:admin_onyl", which is not defined: "default" is asked instead; did you mean "rule:admin_only"?',
    ]);
  });
  test('under the former name of a rule', () => {
    const { policy, warnings } = warned('get_things_tags: "!"');
    expect(policy.allows(admin, 'get_thing:tags', {})).toBe(false);
    expect(warnings).toEqual(['policy file: "get_things_tags" is the former name of "get_thing:tags"; write that']);
  });
});

describe('a policy', () => {
  test('asks "default" for a rule that is not defined', () => {
    const policy = policyOf();
    expect(policy.defines('no_such')).toBe(false);
    expect(policy.allows(member, 'no_such', { project_id: 'p1' })).toBe(true);
    expect(policy.allows(member, 'no_such', { project_id: 'p2' })).toBe(false);
  });
  test('enforce() throws 403 with the name of the rule', () => {
    expect(() => policyOf().enforce(member, 'create_thing', { project_id: 'p2' })).toThrow(
      expect.objectContaining({
        status: 403,
        type: 'PolicyNotAuthorized',
        message: 'rule:create_thing is disallowed by policy',
      }),
    );
    expect(() => policyOf().enforce(member, 'create_thing', { project_id: 'p1' })).not.toThrow();
  });
  test('refuses tokens of a scope that the rule does not name, unless told not to', () => {
    const system = caller({ roles: ['admin'], system_scope: 'all' });
    const domain = caller({ roles: ['admin'], domain_id: 'd1' });
    const defaults = [{ name: 'a', check: '@', scope_types: ['project', 'domain'] as const }];
    const strict = createPolicy({ defaults, log: silentLogger });
    const lax = createPolicy({ defaults, log: silentLogger, enforceScope: false });
    expect([system, domain, admin].map((context) => strict.allows(context, 'a', {}))).toEqual([false, true, true]);
    expect(lax.allows(system, 'a', {})).toBe(true);
    expect(strict.explain('a', system, {}).because).toBe(
      "the token's scope is system, the rule is for project or domain",
    );
  });
  test('parents() names what rules ask of parents, through the rules they name', () => {
    const policy = policyOf(
      'a: rule:b and not rule:c\nb: rule:admin_or_network_owner\nc: "\'x\':%(ext_parent:name)s or rule:shared"',
    );
    expect(policy.parents('a')).toEqual(['ext_parent:name', 'network:project_id', 'network:shared']);
    expect(policy.parents('create_thing')).toEqual([]);
    expect(policy.parents('not_defined')).toEqual([]);
  });
  test('parentsMayForbid() tells a `not` in front of what reads a parent, in rules that are named too', () => {
    const policy = policyOf(
      'a: rule:b or rule:shared\nb: not role:x\nc: not rule:d\nd: rule:shared and role:x\ne: not project_id:%(project_id)s',
    );
    expect(['a', 'b', 'c', 'd', 'e'].filter((name) => policy.parentsMayForbid(name))).toEqual(['c']);
  });
  test('attributes() names what rules ask of the object itself', () => {
    const policy = policyOf('a: rule:b and not user_id:%(device_id)s\nb: "\'x\':%(name)s or rule:shared"');
    expect(policy.attributes('a')).toEqual(['device_id', 'name', 'shared']);
    expect(policy.attributes('not_defined')).toEqual(policy.attributes('default'));
  });
  test('explain() says what was found, as text too', () => {
    const explanation = policyOf().explain('create_thing', member, { project_id: 'p2' });
    expect(explainText(explanation).split('\n')).toEqual([
      'rule:create_thing is denied (as built in)',
      '  - rule:admin_only or (role:member and project_id:%(project_id)s) (any of)',
      '    - rule:admin_only (as built in)',
      '      - rule:context_is_admin (as built in)',
      '        - role:admin (the caller has the roles member, reader)',
      '    - role:member and project_id:%(project_id)s (all of)',
      '      + role:member (the caller has the roles member, reader)',
      "      - project_id:%(project_id)s (the caller's project is p1, project_id is p2)",
    ]);
  });
});

describe('properties', () => {
  const leaf = fc.constantFrom(
    '@',
    '!',
    'role:a',
    'role:b',
    'project_id:%(project_id)s',
    'field:nets:shared=True',
    'rule:shared',
  );
  const { tree } = fc.letrec<{ tree: Check }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf.map(parseCheck),
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        of: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant('not' as const), of: tie('tree') }),
    ),
  }));
  const context = fc.record({
    roles: fc.subarray(['a', 'b']),
    project_id: fc.constantFrom('p1', null),
  });
  const target = fc.record({ project_id: fc.constantFrom('p1', 'p2'), shared: fc.boolean() });

  test('what is written from a tree reads as a tree that is written the same', () => {
    fc.assert(fc.property(tree, (check) => checkText(parseCheck(checkText(check))) === checkText(check)));
  });

  test('and, or and not are what they are, and explain() agrees with allows()', () => {
    const naive = (check: Check, context: Context, target: PolicyTarget): boolean => {
      if (check.kind === 'not') return !naive(check.of, context, target);
      if (check.kind === 'and') return check.of.every((part) => naive(part, context, target));
      if (check.kind === 'or') return check.of.some((part) => naive(part, context, target));
      return holds(checkText(check), context, target);
    };
    fc.assert(
      fc.property(tree, context, target, (check, fields, object) => {
        const policy = policyOf(JSON.stringify({ create_thing: checkText(check) }));
        const allowed = policy.allows(caller(fields), 'create_thing', object);
        expect(allowed).toBe(naive(check, caller(fields), object));
        expect(policy.explain('create_thing', caller(fields), object).holds).toBe(allowed);
      }),
    );
  });

  test('any text either is a check or is refused with a reason, never anything else', () => {
    const word = fc.constantFrom(
      '(',
      ')',
      '((',
      'and',
      'or',
      'not',
      'role:a',
      'x',
      '%',
      'field:a',
      "'",
      '"q":%(r)s',
      ':',
      '@',
      '!',
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 8 }).map((words) => words.join(' ')),
        (text) => {
          try {
            parseCheck(text);
          } catch (error) {
            expect(error).toMatchObject({ name: 'CheckSyntaxError' });
          }
        },
      ),
    );
  });
});

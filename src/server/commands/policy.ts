/** `nucleon policy explain` */
import { systemClock } from '#src/lib/clock.ts';
import { adminContext, type Context } from '#src/lib/context.ts';
import type { Database } from '#src/lib/database.ts';
import { silentLogger } from '#src/lib/log.ts';
import { silentMetrics } from '#src/lib/metrics.ts';
import { nearest } from '#src/lib/nearest.ts';
import type { PolicyDefault, PolicyTarget } from '#src/lib/policy.ts';
import { acceptConfiguration, readConfiguration } from '../configuration.ts';
import { EXIT, messageOf, StartError } from '../errors.ts';
import type { Arguments } from './arguments.ts';
import type { Command } from './command.ts';
import { CONFIGURATION_OPTIONS, configurationPaths } from './configuration_options.ts';

export const policyExplainCommand: Command = {
  summary: 'say why a policy rule allows or denies a caller',
  description: `Asks a rule (create_network:shared) with the defaults of the configured plugins and the operator's policy
files, and prints how the answer came about, check by check: + what holds, - what does not. Needs no database.
Exit code 0: allowed; 1: denied.

Rules are named {get,create,update,delete}_RESOURCE, with :ATTRIBUTE behind for those of single attributes.`,
  examples: [
    'nucleon policy explain --rule create_network:shared --roles reader,member --project p1',
    'nucleon policy explain get_network --roles reader --project p1 --target \'{"project_id": "p2", "shared": true}\'',
  ],
  options: {
    ...CONFIGURATION_OPTIONS,
    rule: { value: 'RULE', help: 'the rule to ask; it may also stand alone' },
    roles: { value: 'ROLE,...', help: 'roles of the caller (none unless told)' },
    project: { value: 'ID', help: 'project of the caller' },
    user: { value: 'ID', help: 'user of the caller' },
    'system-scope': { help: 'the token is for the whole system' },
    target: { value: 'JSON', help: 'the object asked about: an object of attributes' },
  },
  positionals: ['[RULE]'],
  async run({ runtime }, args) {
    const configuration = await readConfiguration(runtime, configurationPaths(args));
    acceptConfiguration(configuration, silentLogger);
    const { config } = configuration;
    const [{ createPolicy, explainText, standing }, { assemble }, { loadModules }, { readPolicyFiles }] =
      await Promise.all([
        import('#src/policy/mod.ts'),
        import('../assembly.ts'),
        import('../registry.ts'),
        import('../policy_files.ts'),
      ]);
    const rule = ruleOf(args);
    const modules = await loadModules({ config, log: silentLogger });
    const host = { config, db: noDatabase, log: silentLogger, metrics: silentMetrics, clock: systemClock };
    const { plugins } = await assemble({ modules, ...host });
    const defaults = plugins.flatMap((plugin) => plugin.policies ?? []);
    const policy = createPolicy({
      defaults,
      overrides: await readPolicyFiles(runtime.files, config),
      log: silentLogger,
      enforceScope: config.boolean('oslo_policy', 'enforce_scope'),
      defaultRule: config.string('oslo_policy', 'policy_default_rule'),
    });
    if (!policy.defines(rule)) runtime.processes.printError(unknownRule(rule, defaults));
    const object = target(args.value('target'));
    const explanation = policy.explain(rule, standing(policy)(caller(args)), object);
    runtime.processes.print(explainText(explanation));
    const untold = [...policy.attributes(rule), ...policy.parents(rule)].filter((name) => !Object.hasOwn(object, name));
    if (untold.length > 0) {
      runtime.processes.print(`Read of the object, but not told by --target: ${untold.join(', ')}`);
    }
    return explanation.holds ? EXIT.ok : EXIT.failure;
  },
};

function ruleOf(args: Arguments): string {
  const [alone] = args.positionals;
  const named = args.value('rule') ?? alone;
  if (named === undefined) throw new StartError('--rule is missing', { exitCode: EXIT.usage });
  if (alone !== undefined && alone !== named) {
    throw new StartError(`one rule at a time: "${alone}" and --rule ${named} are two`, { exitCode: EXIT.usage });
  }
  return named;
}

function unknownRule(rule: string, defaults: readonly PolicyDefault[]): string {
  const near = nearest(
    rule,
    defaults.map(({ name }) => name),
  );
  return `nucleon: no plugin and no policy file has the rule ${rule}${near === undefined ? '' : `; did you mean ${near}?`}`;
}

/** Plugins declare their policies without asking the database; one that does is told so. */
const noDatabase = new Proxy({} as Database, {
  get() {
    throw new StartError('a plugin asks the database while it is built: its policies cannot be explained offline');
  },
});

function caller(args: Arguments): Context {
  const roles = (args.value('roles') ?? '').split(',').map((role) => role.trim().toLowerCase());
  return {
    ...adminContext(),
    roles: roles.filter((role) => role !== ''),
    is_admin: false,
    user_id: args.value('user') ?? null,
    project_id: args.value('project') ?? null,
    system_scope: args.has('system-scope') ? 'all' : null,
  };
}

function target(json: string | undefined): PolicyTarget {
  if (json === undefined) return {};
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as PolicyTarget;
  } catch (error) {
    throw new StartError(`--target is not JSON: ${messageOf(error)}`, { exitCode: EXIT.usage });
  }
  throw new StartError('--target must be a JSON object of attributes', { exitCode: EXIT.usage });
}

/** Policy as plugins declare it and as the API asks it; `src/policy` holds the engine (oslo.policy's language). */
import type { Context } from './context.ts';

/** A default rule, overridden by the same name in the operator's policy file. */
export interface PolicyDefault {
  /** `create_network:shared` */
  readonly name: string;
  /** oslo.policy's check string: `rule:admin_only or project_id:%(project_id)s`. */
  readonly check: string;
  readonly scope_types?: readonly ('system' | 'domain' | 'project')[];
  readonly description?: string;
  /** The name an operator's policy file may still use for it. */
  readonly former_name?: string;
}

/** What is asked about: the object's attributes, and those of its parents under `network:project_id` and the like. */
export type PolicyTarget = Readonly<Record<string, unknown>>;

export interface Policy {
  /** Whether the rule holds; an undefined rule asks `default`. */
  allows(context: Context, rule: string, target: PolicyTarget): boolean;
  /** Whether a rule of this name is defined (attribute rules are asked only if they are). */
  defines(rule: string): boolean;
  /** Throws PolicyNotAuthorized unless `allows`. */
  enforce(context: Context, rule: string, target: PolicyTarget): void;
  /** The attributes of parents that the rule may ask for, through all rules it names: `network:project_id`. */
  parents(rule: string): readonly string[];
  /** Whether more of a parent may make the rule fail: what reads it stands behind a `not`. Otherwise it can only help. */
  parentsMayForbid(rule: string): boolean;
  /** The attributes of the object itself that the rule may ask for: `project_id`. */
  attributes(rule: string): readonly string[];
}

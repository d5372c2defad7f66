/**
 * Policy: oslo.policy's language, compiled once. Promises: the operator's file replaces defaults by name; rules that
 * cannot be used stop the start; an undefined rule asks `default`; what `explain` says is what `allows` does.
 */
export { baseRules } from './base.ts';
export { PolicyLoadError } from './errors.ts';
export { type Explanation, explainText } from './explain.ts';
export { createPolicy, type ExplainingPolicy, type PolicyOptions } from './policy.ts';
export { standing } from './standing.ts';
export * from './strings.ts';

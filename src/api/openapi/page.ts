/** The page to read: resources, operations and attributes as one HTML text that loads nothing from anywhere. */
import type { DescribedOperation } from './operations.ts';
import { resourcePaths } from './operations.ts';
import { SCRIPT, STYLE } from './page_parts.ts';
import type { DescribedAttribute, DescribedResource, Source } from './resource.ts';
import { typeText } from './type_text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
const code = (text: string): string => `<code>${escaped(text)}</code>`;
const row = (cells: readonly string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

function table(head: readonly string[], rows: readonly string[]): string {
  const titles = head.map((title) => `<th>${title}</th>`).join('');
  return `<table><thead><tr>${titles}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`;
}

function operationRow(path: string, method: string, { summary, responses, ...operation }: DescribedOperation): string {
  const [status = ''] = Object.keys(responses);
  return row([
    `<b>${method.toUpperCase()}</b>`,
    code(path),
    escaped(summary),
    escaped(status),
    code(operation['x-policy']),
  ]);
}

const USES: readonly (readonly [string, (attribute: DescribedAttribute) => boolean])[] = [
  ['create', ({ create }) => create],
  ['update', ({ update }) => update],
  ['shown', ({ answered }) => answered !== undefined],
  ['filter', ({ filter }) => filter],
  ['sort', ({ sort }) => sort],
];

function defaultText(attribute: DescribedAttribute): string {
  if (attribute.mandatory) return '<b>required</b>';
  return attribute.default === undefined ? '' : code(JSON.stringify(attribute.default));
}

function attributeRow(attribute: DescribedAttribute): string {
  const { name, sent, answered, create, update, policy, extension } = attribute;
  const settable = create || update;
  const uses = USES.filter(([, holds]) => holds(attribute)).map(([use]) => use);
  return row([
    code(name),
    escaped(typeText(settable ? sent : (answered ?? {}))),
    settable ? defaultText(attribute) : '',
    uses.join(', '),
    [...(policy === undefined ? [] : ['set']), ...(attribute.withheld ? ['read'] : [])].join(', '),
    escaped(extension ?? ''),
  ]);
}

function section(described: DescribedResource, source: Source): string {
  const { resource, title, path, extension, attributes } = described;
  const operations = Object.entries(resourcePaths(described, source)).flatMap(([where, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationRow(where, method, operation)),
  );
  const origin = extension === undefined ? 'Core.' : `Extension ${code(extension)}.`;
  const own = resource.definition.raw === true ? '' : attributes.map(attributeRow);
  return `<section id="${escaped(title)}"><h2>${escaped(path.slice('/v2.0/'.length))}</h2><p>${origin}</p>
${table(['', 'Path', '', 'Status', 'Policy'], operations)}
${own === '' ? '' : table(['Attribute', 'Type', 'Default', 'Use', 'Policy', 'Extension'], own)}</section>`;
}

/** Renders the page. */
export function renderPage(described: readonly DescribedResource[], source: Source): string {
  const links = described.map(
    ({ title, path }) => `<a href="#${escaped(title)}">${escaped(path.slice('/v2.0/'.length))}</a>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>OpenStack Networking API</title><style>${STYLE}</style></head><body>
<header><h1>OpenStack Networking API v2.0</h1>
<p>What this server serves, for programs: <a href="openapi.json">openapi.json</a>. Requests carry a token in
<code>X-Auth-Token</code>. Every error answers <code>{"NeutronError": {"type", "message", "detail"}}</code>.</p>
<p>Lists take <code>fields</code>, <code>sort_key</code> with <code>sort_dir</code>, <code>limit</code>, <code>marker</code>,
<code>page_reverse</code>, and every attribute marked <i>filter</i>. <i>Policy</i> says whether a rule of its own is asked to
set or to read an attribute.</p>
<input type="search" placeholder="Find a resource or an attribute" aria-label="Find a resource or an attribute"></header>
<nav>${links.join('\n')}</nav>
<main>${described.map((resource) => section(resource, source)).join('\n')}</main>
<script>${SCRIPT}</script></body></html>
`;
}

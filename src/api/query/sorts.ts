/** `sort_key` and `sort_dir`, in pairs; the order always ends with the primary key, so that pages never overlap. */
import type { AttributeMap } from '#src/lib/api/attributes.ts';
import { pythonRepr } from '#src/lib/api/python.ts';
import type { Sort } from '#src/lib/api/query.ts';
import { HttpBadRequest } from '#src/lib/errors.ts';

const DIRECTIONS: readonly string[] = ['asc', 'desc'];

export function compileSorts(source: {
  readonly attributes: AttributeMap;
  readonly key: string;
  readonly aliases: ReadonlySet<string>;
}): (params: URLSearchParams) => readonly Sort[] {
  const strict = source.aliases.has('sort-key-validation');
  const sortable = new Set(
    Object.entries(source.attributes)
      .filter(([, spec]) => !strict || spec.is_sort_key)
      .map(([name]) => name),
  );
  if (sortable.has('tenant_id')) sortable.add('project_id');
  if (sortable.has('project_id')) sortable.add('tenant_id');
  const last: Sort = { attribute: source.key, direction: 'asc' };
  const plain: readonly Sort[] = [last];
  return (params) => {
    const keys = params.getAll('sort_key').filter((key) => key !== '');
    const directions = params.getAll('sort_dir').filter((direction) => direction !== '');
    if (keys.length !== directions.length) {
      throw new HttpBadRequest('The number of sort_keys and sort_dirs must be same');
    }
    if (keys.length === 0) return plain;
    const unknown = [...new Set(keys)].filter((key) => !sortable.has(key));
    if (unknown.length > 0) throw new HttpBadRequest(`${pythonRepr(unknown)} is invalid attribute for sort_keys`);
    const wrong = [...new Set(directions)].filter((direction) => !DIRECTIONS.includes(direction));
    if (wrong.length > 0) {
      throw new HttpBadRequest(`${pythonRepr(wrong)} is invalid value for sort_dirs, valid value is 'asc' and 'desc'`);
    }
    const sorts: Sort[] = keys.map((key, at) => ({
      attribute: key === 'tenant_id' ? 'project_id' : key,
      direction: directions[at] === 'desc' ? 'desc' : 'asc',
    }));
    // A key that comes again orders nothing; left in, it would only make the statement longer.
    const once = sorts.filter(({ attribute }, at) => sorts.findIndex((sort) => sort.attribute === attribute) === at);
    return once.some((sort) => sort.attribute === source.key) ? once : [...once, last];
  };
}

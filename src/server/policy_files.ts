/** The operator's policy files: `[oslo_policy] policy_file`, then the YAML files of `policy_dirs` in the order of their names. */
import type { Config } from '#src/lib/config.ts';
import type { Files } from '#src/lib/runtime.ts';

/** The files' texts, later ones winning. A file that is named but cannot be read is an error; the default one may be absent. */
export async function readPolicyFiles(files: Files, config: Config): Promise<readonly string[]> {
  const texts: string[] = [];
  const file = config.string('oslo_policy', 'policy_file');
  if (config.isSet('oslo_policy', 'policy_file') || (await files.exists(file))) texts.push(await read(files, file));
  for (const folder of config.list('oslo_policy', 'policy_dirs')) {
    if (!(await files.exists(folder))) continue;
    const names = (await files.list(folder)).filter((name) => /\.ya?ml$/.test(name)).sort();
    for (const name of names) texts.push(await read(files, `${folder}/${name}`));
  }
  return texts;
}

async function read(files: Files, path: string): Promise<string> {
  try {
    return await files.read(path);
  } catch (cause) {
    throw new Error(`the policy file ${path} ([oslo_policy]) cannot be read`, { cause });
  }
}

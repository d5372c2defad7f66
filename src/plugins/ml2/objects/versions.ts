/** Which objects agents follow: what they say of it apart from their reports. */
import type { Database } from '#src/lib/database.ts';
import type { ResourceVersions } from '#src/rpc/contract.ts';

/** Keeps it; an agent that has not reported itself yet says it again in its report. */
export async function saveVersions(
  db: Database,
  agent_type: string,
  host: string,
  versions: ResourceVersions,
): Promise<void> {
  await db.sql.unsafe(
    'update agents set resource_versions = $3::json where agent_type = $1 and host = $2',
    [agent_type, host, versions as never],
    { prepare: true },
  );
}

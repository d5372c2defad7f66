/** The log of one process of the tree: to standard error, which all of them share. */
import { systemClock } from '#src/lib/clock.ts';
import type { Config } from '#src/lib/config.ts';
import type { Logger } from '#src/lib/log.ts';
import type { ServerProcesses } from '#src/lib/runtime.ts';
import { createLogger, logSettings } from '#src/telemetry/mod.ts';

/** A logger whose lines carry the process' title and id. */
export function processLogger(processes: ServerProcesses, config: Config, title: string): Logger {
  return createLogger({
    ...logSettings(config),
    write: (line) => processes.printError(line),
    clock: systemClock,
    fields: { worker: title.replace('nucleon: ', ''), pid: processes.pid },
  });
}

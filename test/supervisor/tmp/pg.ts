import { startEmbeddedPostgres } from '#src/server/embedded/postgres.ts';
import postgres from 'postgres';
const isDeno='Deno' in globalThis;
const rt = isDeno ? (await import('#src/runtime/deno/runtime.ts')).denoRuntime(import.meta.filename!) : (await import('#src/runtime/node/runtime.ts')).nodeRuntime(import.meta.filename!);
const l:any={}; for (const k of ['debug','info','warn','error']) l[k]=(m:string,f?:unknown)=>console.log(k,m,f??''); l.child=()=>l;
const o={runtime:rt,folder:process.argv[2]!,port:54777,maxConnections:100,log:l};
for (let i=0;i<2;i++){ let t=performance.now(); const p=await startEmbeddedPostgres(o); console.log('start',performance.now()-t,p.url.replace(/:[0-9a-f]{10,}/,':x'));
t=performance.now(); const sql=postgres(p.url); console.log(await sql`select version(), current_setting('fsync') f, current_setting('data_checksums') c, 'É'<'z' as o, lower('É') lo`, performance.now()-t);
if (i==1) { console.log(await rt.files.read(`/proc/${(await rt.files.read(o.folder+'/data/postmaster.pid')).split('\n')[0]}/cmdline`)); if (process.argv[3]) { await new Promise(r=>setTimeout(r,Number(process.argv[3]))); await sql`select 1`; console.log('still alive'); process.kill(process.pid,'SIGKILL'); } }
await sql.end(); t=performance.now(); await p.stop(); console.log('stop',performance.now()-t);}

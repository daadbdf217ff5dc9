// `npm run admin -- <command>`: what only the operator of an installation may do.
import { run } from './run.js';

process.exitCode = await run(process.argv.slice(2), process);

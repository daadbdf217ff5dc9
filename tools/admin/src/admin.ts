// Runs `npm run admin -- <command>`, the commands for the operator of an installation.
import { run } from './run.js';

process.exitCode = await run(process.argv.slice(2), process);

// Runs the simulated ERPs in a separate process, so that their cost is not counted for the services or the bare paging.
import { startErps } from '@invoicecontrol/dev/simulators';

const { simulators, env } = await startErps(process.env);
process.once('disconnect', () => process.exit());
process.send?.({ urls: simulators.urls, env });

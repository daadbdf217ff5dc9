// The simulated ERPs in a process of their own, so that what they cost is not paid by the services or the bare paging.
import { startErps } from '@invoicecontrol/dev/simulators';

const { simulators, env } = await startErps(process.env);
process.once('disconnect', () => process.exit());
process.send?.({ urls: simulators.urls, env });

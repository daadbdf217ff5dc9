// Runs the simulated ERPs in a separate process, so that their cost is counted neither for the services nor for the
// program that reads the same ERP pages without the product.
import { startErps } from '@invoicecontrol/dev/simulators';

const { simulators, env } = await startErps(process.env);
process.once('disconnect', () => process.exit());
process.send?.({ urls: simulators.urls, env });

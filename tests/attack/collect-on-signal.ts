// Loaded into the gateway before its own program. SIGUSR2 starts a garbage collection.
import { collectGarbage } from '@invoicecontrol/testkit/collect-garbage';

process.on('SIGUSR2', collectGarbage);

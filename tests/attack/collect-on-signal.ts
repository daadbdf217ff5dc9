// The gateway loads this module before its own program. The signal SIGUSR2 then starts a garbage collection.
import { collectGarbage } from '@invoicecontrol/testkit/collect-garbage';

process.on('SIGUSR2', collectGarbage);

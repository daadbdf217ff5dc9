// Loaded into the gateway before its own program: SIGUSR2 collects its garbage.
import { collectGarbage } from '@invoicecontrol/testkit/collect-garbage';

process.on('SIGUSR2', collectGarbage);

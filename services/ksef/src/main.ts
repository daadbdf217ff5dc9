import { readConfig } from '@invoicecontrol/runtime/config';
import { runProcess } from '@invoicecontrol/runtime/process';
import { startService } from './compose.js';
import { configSchema } from './config.js';

await runProcess(() => startService(readConfig(configSchema, process.env)));

#!/usr/bin/env node
import { runInTerminal } from '../dist/main.js';

await runInTerminal();

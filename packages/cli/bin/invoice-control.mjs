#!/usr/bin/env node
import { runInTerminal } from '../dist/terminal.js';

await runInTerminal();

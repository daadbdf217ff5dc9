// Worker for tesseract.js that takes the language data from npm packages. The worker of tesseract.js reads all
// languages from one directory, which would have to be created first, and a process that reads documents cannot write
// files. This worker has no network access.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { trainedDataFile } from './trained-data.js';

interface WorkerScript {
  setAdapter(adapter: object): void;
  dispatchHandlers(packet: unknown, send: (message: unknown) => void): void;
}

const require = createRequire(import.meta.url);
// This worker for text recognition does the same as `tesseract.js/src/worker-script/node`. When you upgrade
// tesseract.js, compare this worker with that script.
const script = require('tesseract.js/src/worker-script') as WorkerScript;
const getCore: unknown = require('tesseract.js/src/worker-script/node/getCore');

parentPort?.on('message', (packet) => {
  script.dispatchHandlers(packet, (message) => parentPort?.postMessage(message));
});
script.setAdapter({ getCore, gunzip: gunzipSync, readCache: (name: string) => readFile(trainedDataFile(name)) });

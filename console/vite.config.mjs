import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * Matches the files of the web application that are compressed. Files that compression does not make smaller, such as
 * pictures, are left out.
 */
const COMPRESSED = /\.(?:js|css|html|svg)$/;

/**
 * Writes a compressed copy (brotli) beside each text file of the web application. The gateway serves these copies as
 * they are.
 */
function precompress() {
  let folder;
  return {
    name: 'precompress',
    configResolved: (config) => {
      folder = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      const names = (await readdir(folder, { recursive: true })).filter((name) => COMPRESSED.test(name));
      await Promise.all(
        names.map(async (name) => {
          const path = join(folder, name);
          await writeFile(`${path}.br`, await promisify(brotliCompress)(await readFile(path)));
        }),
      );
    },
  };
}

export default defineConfig({
  base: '/app/',
  // The build of csv-parse for browsers contains its own replacement for the buffers of Node.js.
  resolve: { alias: { 'csv-parse/sync': 'csv-parse/browser/esm/sync' } },
  plugins: [
    { ...optimizeLocales.vite({ locales: ['en-US', 'de-DE', 'pl-PL'] }), enforce: 'pre' },
    react(),
    precompress(),
  ],
  build: {
    outDir: 'dist/app',
    emptyOutDir: true,
    // The content security policy of the app allows no inline scripts, styles or data addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
  },
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entries } from '@invoicecontrol/topology/services';
import { root } from './kubernetes-objects.js';

const runbooks = [
  'k8s/README.md',
  ...readdirSync(join(root, 'docs/runbooks')).map((name) => `docs/runbooks/${name}`),
].map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

describe('the commands of the runbooks', () => {
  test('name all services with a database wherever they list services', () => {
    expect(runbooks.flatMap(({ path, text }) => incompleteLists(text).map((line) => `${path}: ${line}`))).toEqual([]);
  });

  test('that list only some of the services are reported', () => {
    const faulty = ['for service in organization analysis scan; do :; done', 'echo SECRETBOX_KEYS webhooks ksef scan'];
    const correct = ['kubectl logs deployment/scan', 'echo SECRETBOX_KEYS analysis webhooks erp-sync ksef'];
    expect(incompleteLists(`\`\`\`sh\n${[...faulty, ...correct].join('\n')}\n\`\`\`\n`)).toEqual(faulty);
  });

  test('enter a pod of MongoDB only where the overlay is said to have one', () => {
    const faults = runbooks.flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter((line) => /exec .*mongodb-\d/.test(line) && !line.includes('overlay `local`'))
        .map((line) => `${path}: ${line}`),
    );
    expect(faults).toEqual([]);
  });
});

/**
 * Lines of shell commands that name several services, but not all that have a database, or not all that have the setting
 * that the line names. A command may mean one or two services.
 */
function incompleteLists(markdown: string): string[] {
  const shell = [...markdown.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) => block.split('\n'));
  return shell
    .map((line) => line.trim())
    .filter((line) => {
      const words = line.split(/[^\w-]+/);
      const setting = words.find((word) => entries.some(([, { settings }]) => word in settings));
      const concerned = entries.flatMap(([name, { protocol, settings }]) =>
        (setting === undefined ? protocol === 'grpc' : setting in settings) ? [name] : [],
      );
      const named = entries.filter(([name]) => words.includes(name));
      return named.length > 2 && !concerned.every((name) => words.includes(name));
    });
}

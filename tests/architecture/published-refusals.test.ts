// The description shows refusals that other services make. The gateway cannot import them, so their sentences are compared here.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Description {
  readonly components: {
    readonly responses: Readonly<
      Record<
        string,
        {
          readonly content: {
            readonly 'application/json': {
              readonly examples: Readonly<Record<string, { readonly value: { readonly error: { message: string } } }>>;
            };
          };
        }
      >
    >;
  };
}

test.each([
  ['Forbidden', 'subscriptionRequired', 'services/organization/src/domain'],
  ['Conflict', 'alreadyExists', 'services/organization/src/domain'],
  ['Conflict', 'wrongState', 'services/organization/src/domain'],
  ['TooManyRequests', 'usageExceeded', 'packages/metering/src'],
  ['ContentTooLarge', 'invalid', 'services/gateway/src/http/body'],
  ['UnsupportedMediaType', 'invalid', 'services/gateway/src/http/body'],
])('the published example %s.%s is a sentence of %s', (response, name, folder) => {
  const description = JSON.parse(readFileSync(join(root, 'services/gateway/openapi.json'), 'utf8')) as Description;
  const message =
    description.components.responses[response]?.content['application/json'].examples[name]?.value.error.message;
  const sources = readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(root, folder, file), 'utf8'));
  expect(sources.some((source) => isMadeBy(source, message ?? ''))).toBe(true);
});

/** Tells whether a literal of the source, on one line or on several joined by `+`, gives the sentence, whatever its values are. */
function isMadeBy(source: string, sentence: string): boolean {
  const literals = source.replaceAll(/[`']\s*\+\s*[`']/g, '').matchAll(/'([^'\n]+)'|`([^`]+)`/g);
  return [...literals].some(([, plain, template]) => {
    const text = plain ?? template ?? '';
    const pattern = text.split(/\$\{[^}]*\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    // A template literal with hardly any fixed text would match every sentence, so it is left out.
    return pattern.join('').length > 20 && new RegExp(`^${pattern.join('.+')}$`).test(sentence);
  });
}

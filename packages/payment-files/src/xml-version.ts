import { refusal } from './payment-file-refused.js';

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:';

/**
 * Returns the version that the root of an ISO 20022 message names, such as `pain.001.001.09`. A version that is not
 * supported is refused with a list of the supported versions.
 */
export function versionOf(root: string, namespace: string, versions: readonly string[]): string {
  const version = namespace.startsWith(NAMESPACE) ? namespace.slice(NAMESPACE.length) : undefined;
  if (root === 'Document' && version !== undefined && versions.includes(version)) return version;
  const readable = new Intl.ListFormat('en', { type: 'disjunction' }).format(versions);
  const named = /[a-z]{4}\.[0-9]{3}\.[0-9]{3}\.[0-9]{2}(?:\.ch\.[0-9]{2})?/.exec(namespace)?.[0];
  const found =
    named === undefined || (version !== undefined && versions.includes(version))
      ? 'The root element of the file is not an ISO 20022 Document'
      : `The file is ${named}`;
  throw refusal('', `${found}. Send a file in ${readable}.`);
}

import { create } from 'content-disposition';

const LENGTH_MAX = 120;

/** File extensions for the media types of stored documents and their renderings. */
const extensions: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/tiff': 'tiff',
  'image/webp': 'webp',
  'application/xml': 'xml',
  'application/pkcs7-mime': 'p7m',
  'text/html': 'html',
};

/**
 * Returns a file name under which a stored document can be saved on any system. The extension depends on the media
 * type, and not on the given name.
 * @param name name from an unknown sender
 * @param fallback name without extension that is used if no part of the name remains
 */
export function safeFileName(name: string, mediaType: string, fallback: string): string {
  const extension = `.${extensions[mediaType] ?? 'bin'}`;
  const clean = name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .normalize('NFC')
    .replaceAll(/[/\\:*?"<>|]/g, '_')
    .replace(new RegExp(`\\${extension}$`, 'i'), '');
  const stem = [...trimmed(clean)].slice(0, LENGTH_MAX - extension.length).join('');
  return `${trimmed(stem) || fallback}${extension}`;
}

function trimmed(name: string): string {
  return name.replaceAll(/^[.\s]+|(?<![.\s])[.\s]+$/g, '');
}

/** Returns the Content-Disposition header that shows a document in the browser and gives it a name for saving. */
export function inlineAs(fileName: string): string {
  return create(fileName, { type: 'inline' });
}

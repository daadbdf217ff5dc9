import { en } from './en.js';
import { language } from './language.js';

/** The texts of the app in one language, in the shape of the English texts. */
export type Messages = typeof en;

/**
 * Functions that load the texts of the app, by language. Each catalogue other than the English one is a separate chunk
 * of the bundle.
 */
const catalogues = {
  en: async () => en,
  de: async () => (await import('./de.js')).de,
  pl: async () => (await import('./pl.js')).pl,
} satisfies Record<typeof language, () => Promise<Messages>>;

/** The texts of the app in the language of this page. */
export const messages: Messages = await catalogues[language]();

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

async function load(): Promise<{ readonly messages: Messages; readonly messagesLanguage: typeof language }> {
  try {
    return { messages: await catalogues[language](), messagesLanguage: language };
  } catch {
    // If a catalogue cannot be loaded, the page shows the English texts, which are part of the app, instead of staying
    // blank.
    return { messages: en, messagesLanguage: 'en' };
  }
}

/**
 * The texts of the app, with their language. The language is that of this page, or English if the catalogue of that
 * language could not be loaded.
 */
export const { messages, messagesLanguage } = await load();

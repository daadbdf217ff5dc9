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
    // A catalogue that cannot be loaded must not leave the page blank. The English texts came with the app.
    return { messages: en, messagesLanguage: 'en' };
  }
}

/**
 * The texts of the app in the language of this page, and the language that they are in, which is English if the
 * catalogue of the other language could not be loaded.
 */
export const { messages, messagesLanguage } = await load();

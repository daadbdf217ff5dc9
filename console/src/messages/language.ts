/** The languages of the app: each has a catalogue of texts, its own name, and the form of its numbers and dates. */
export const languages = {
  en: { name: 'English', locale: 'en-GB' },
  de: { name: 'Deutsch', locale: 'de-DE' },
  pl: { name: 'Polski', locale: 'pl-PL' },
} as const;

export type Language = keyof typeof languages;

/**
 * Name of the cookie with the language that a person chose. The cookie is not secret, and the API does not receive it.
 */
const COOKIE = 'ic_language';
const YEAR_SECONDS = 365 * 24 * 3_600;

function isLanguage(text: string): text is Language {
  return Object.hasOwn(languages, text);
}

/**
 * Returns the language of the app: the language that the person chose, or else the first of the browser's preferred
 * languages that the app has, or else English.
 */
export function languageOf(cookies: string, preferred: readonly string[]): Language {
  const [, chosen = ''] = cookies
    .split(';')
    .map((cookie) => cookie.trim().split('='))
    .find(([name]) => name === COOKIE) ?? [''];
  if (isLanguage(chosen)) return chosen;
  return preferred.map((tag) => tag.toLowerCase().split('-')[0] ?? '').find(isLanguage) ?? 'en';
}

/**
 * Returns the cookie that keeps a chosen language for a year. A sign-out clears everything else that the browser keeps.
 */
export function languageCookie(language: Language): string {
  return `${COOKIE}=${language}; Path=/app; SameSite=Strict; Max-Age=${YEAR_SECONDS}`;
}

/** The language in which the app is shown. Unit tests run without a document and use English. */
export const language: Language =
  typeof document === 'undefined' ? 'en' : languageOf(document.cookie, navigator.languages);

/** The form of numbers and dates in the language of the app. */
export const { locale } = languages[language];

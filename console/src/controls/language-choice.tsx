import { language, languageCookie, languages } from '../messages/language.js';
import type { Language } from '../messages/language.js';
import { messages } from '../messages/messages.js';
import styles from './controls.module.css';

/** Lets a person choose the language of the app. The page loads again, because its texts are chosen when it loads. */
export function LanguageChoice() {
  const choose = (chosen: string): void => {
    document.cookie = languageCookie(chosen as Language);
    location.reload();
  };
  return (
    <label className={styles['language']}>
      <span>{messages.language}</span>
      <select className={styles['input']} value={language} onChange={({ target }) => choose(target.value)}>
        {Object.entries(languages).map(([code, { name }]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

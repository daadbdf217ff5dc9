import styles from './controls.module.css';

/** What a state means to a person. It decides the colour and the shape before the word. */
export type Tone = 'good' | 'bad' | 'open' | 'quiet';

/** A state as a word, with a shape and a colour. */
export function Tag({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span className={styles['tag']} data-tone={tone}>
      {children}
    </span>
  );
}

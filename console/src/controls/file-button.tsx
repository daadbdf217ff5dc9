import { Button, FileTrigger } from 'react-aria-components';
import styles from './controls.module.css';

interface Props {
  readonly children: string;
  /** Media types and endings of names that the browser offers. The API checks the content. */
  readonly accepts: readonly string[];
  readonly takesSeveral?: boolean;
  readonly isPending?: boolean;
  readonly variant?: 'primary';
  readonly onFiles: (files: readonly File[]) => void;
}

/** A button that asks for files. React Aria opens the choice of the browser, whose own button cannot be styled. */
export function FileButton({ children, accepts, takesSeveral = false, isPending = false, variant, onFiles }: Props) {
  return (
    <FileTrigger
      acceptedFileTypes={accepts}
      allowsMultiple={takesSeveral}
      onSelect={(list) => {
        if (!isPending) onFiles([...(list ?? [])]);
      }}
    >
      <Button className={styles['button'] ?? ''} data-variant={variant} data-busy={isPending || undefined}>
        {children}
      </Button>
    </FileTrigger>
  );
}

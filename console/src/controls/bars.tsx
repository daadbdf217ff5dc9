import styles from './controls.module.css';

interface Props {
  /** Name of the chart for screen readers. The figures are in a table beside the chart. */
  readonly label: string;
  readonly bars: readonly { readonly name: string; readonly value: number }[];
}

/** Width of a bar with the gap beside it, and of the bar alone, in units of the drawing. */
const STEP = 10;
const BAR = 7;
const HEIGHT = 100;

/** A bar chart. The tallest bar takes the whole height. */
export function Bars({ label, bars }: Props) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <svg
      role="img"
      aria-label={label}
      className={styles['bars']}
      viewBox={`0 0 ${Math.max(1, bars.length) * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {bars.map(({ name, value }, index) => {
        const height = (value / most) * HEIGHT;
        return (
          <rect key={name} x={index * STEP} y={HEIGHT - height} width={BAR} height={height}>
            <title>{`${name}: ${value}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}

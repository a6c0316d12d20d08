// Tables with a name and the heads of their columns.

import type { ComponentChildren } from "preact";

interface TableProps {
  label: string;
  heads: readonly string[];
  /** The rows. */
  children: ComponentChildren;
}

/** The head of a table. */
export function Heads({ heads }: { heads: readonly string[] }) {
  return (
    <thead>
      <tr>
        {heads.map((head) => (
          <th key={head} scope="col">
            {head}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** A table that scrolls sideways if it is wider than its place. */
export function ScrollTable({ label, heads, children, class: className }: TableProps & { class?: string }) {
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label={label}>
      <table class={className}>
        <Heads heads={heads} />
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/**
 * A table that phones lay out as a list. The roles are named because browsers may drop those of elements in such a
 * layout. With `hasActions`, its last column has buttons and no visible head.
 */
export function CardTable({ label, heads, children, hasActions = false }: TableProps & { hasActions?: boolean }) {
  return (
    <table role="table" class="card-table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {heads.map((head) => (
            <th key={head} role="columnheader" scope="col">
              {head}
            </th>
          ))}
          {hasActions && (
            <th role="columnheader" scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">{children}</tbody>
    </table>
  );
}

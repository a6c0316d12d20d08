// How many files the space has, and how large they are.

import { getSpaceUsage, type Usage } from "larder/api";

import { client, dataOf } from "../../api.ts";
import { bytes, count } from "../../parts/format.ts";
import { Show, useLoad } from "../../parts/load.tsx";
import { Section } from "../../parts/section.tsx";
import { Heads } from "../../parts/table.tsx";
import { PERCENT } from "../../units.ts";

export function UsageSection({ id }: { id: string }) {
  const loaded = useLoad(
    (signal) => dataOf(getSpaceUsage({ client, path: { id }, signal, throwOnError: true })),
    [id],
  );
  return (
    <Section title="Usage" hint="Files and the size of their originals. The total has no files of the trash.">
      <Show of={loaded}>
        {(usage) => (usage.files + usage.trashed.files > 0 ? <Chart usage={usage} /> : <p>There are no files yet.</p>)}
      </Show>
    </Section>
  );
}

/** A table by resource type, the largest first, with bars beside it. */
function Chart({ usage }: { usage: Usage }) {
  const types = Object.entries(usage.by_resource_type)
    .filter(([, { files }]) => files > 0)
    .sort(([, a], [, b]) => b.bytes - a.bytes);
  const most = types[0]?.[1].bytes || 1;

  return (
    <div class="usage">
      <table>
        <Heads heads={["Type", "Files", "Size"]} />
        <tbody>
          {types.map(([type, used]) => (
            <UsageRow key={type} name={type} {...used} />
          ))}
        </tbody>
        <tfoot>
          <UsageRow name="total" {...usage} />
          {usage.trashed.files > 0 && <UsageRow name="in the trash" {...usage.trashed} />}
        </tfoot>
      </table>
      <div class="bars" aria-hidden="true">
        {types.map(([type, used]) => (
          <div key={type} class="bar">
            <span style={{ width: `${(used.bytes / most) * PERCENT}%` }} />
          </div>
        ))}
      </div>
    </div>
  );
}

function UsageRow({ name, files, bytes: size }: { name: string; files: number; bytes: number }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{count(files)}</td>
      <td>{bytes(size)}</td>
    </tr>
  );
}

// The upload configs of the space, newest first.

import { listUploadConfigs, type SpaceSummary, type UploadConfigSummary } from "larder/api";

import { bodyOf, client } from "../../api.ts";
import { date, time } from "../../parts/format.ts";
import { Empty, Show, useLoad } from "../../parts/load.tsx";
import { More, type ListPage } from "../../parts/pages.tsx";
import { unless } from "../../parts/roles.ts";
import { CardTable } from "../../parts/table.tsx";
import { href, setQuery } from "../../router.ts";
import { whoOf } from "./draft.ts";
import { DELIVERY, WHO } from "./labels.ts";

const PAGE_LIMIT = 50;

export function ConfigList({ space, newId }: { space: SpaceSummary; newId: string }) {
  const list: ListPage<UploadConfigSummary> = (cursor) => {
    const query = { space_id: space.id, limit: PAGE_LIMIT, ...(cursor && { cursor }) };
    return bodyOf(listUploadConfigs({ client, query, throwOnError: true }));
  };
  const loaded = useLoad(() => list(), [space.id]);
  return (
    <>
      <header>
        <div>
          <h1>Upload configs</h1>
          <p class="hint">Who may upload, and what happens with their files.</p>
        </div>
        <button class="primary" {...unless("admin")} onClick={() => setQuery({ config: newId }, true)}>
          New upload config
        </button>
      </header>
      <Show of={loaded}>
        {({ data }) =>
          data.length > 0 ? (
            <ConfigTable configs={data} activeId={space.active_upload_config_id} />
          ) : (
            <Empty title="No upload config yet">
              <p>With one, a page of yours can upload without a key, and only what you accept.</p>
            </Empty>
          )
        }
      </Show>
      <More of={loaded} list={list} />
    </>
  );
}

const HEADS = ["Name", "Delivered as", "Who may upload", "Created"];

function ConfigTable({ configs, activeId }: { configs: readonly UploadConfigSummary[]; activeId: string }) {
  return (
    <CardTable label="Upload configs" heads={HEADS}>
      {configs.map((config) => (
        <tr key={config.id} role="row" aria-label={config.name} class="to-open">
          <th role="rowheader" scope="row">
            <a href={href({ query: { config: config.id } })}>{config.name}</a>{" "}
            {config.id === activeId && <span class="badge ok">active</span>}
            {config.description && (
              <small>
                <bdi>{config.description}</bdi>
              </small>
            )}
          </th>
          <td role="cell">{DELIVERY[config.delivery_type]}</td>
          <td role="cell">{describe(config)}</td>
          <td role="cell" title={time(config.created_at)}>
            {date(config.created_at)}
          </td>
        </tr>
      ))}
    </CardTable>
  );
}

/** Says who may upload, with the first page if it is pages. */
function describe(config: UploadConfigSummary): string {
  const who = whoOf(config);
  if (who !== "pages") return WHO[who];
  const [first, ...others] = config.unsigned_restrictions?.allowed_referrers ?? [];
  return others.length > 0 ? `${first} and ${others.length} more` : `${first}`;
}

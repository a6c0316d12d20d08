//! The upload configs of a space, and of all spaces of a caller.

use std::{fmt, str::FromStr};

use domain::{
    ChosenIds, Fault, NewUploadConfig, NotAnId, Role, SpaceId, UploadConfig, UploadConfigId, UploadConfigReference,
    Violations,
};
use table::{Completion, Listing, Membership, Page, Start};

use crate::{Caller, Space, Tenants};

/// Most spaces that one page of all configs looks into; such a page may be short.
const SPACES: u16 = 50;
/// The least role that reads configs.
pub const READS_CONFIGS: Role = Role::User;

/// Where a config stands among those of all spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConfigPlace {
    space: SpaceId,
    config: UploadConfigId,
}

impl fmt::Display for ConfigPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.space, self.config)
    }
}

impl FromStr for ConfigPlace {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<ConfigPlace, NotAnId> {
        let (space, config) = text.split_once('.').ok_or(NotAnId)?;
        Ok(ConfigPlace { space: space.parse()?, config: config.parse()? })
    }
}

impl Space {
    /// An upload config of this space: the one referred to, or the active one.
    pub async fn upload_config(
        &self,
        reference: Option<&UploadConfigReference>,
    ) -> Result<Option<UploadConfig>, Fault> {
        let active = UploadConfigReference::Id(self.record.active_upload_config_id);
        Ok(self.table.upload_config(self.record.id, reference.unwrap_or(&active)).await?)
    }

    /// Makes an upload config. `complete` ends the request that it is made for.
    pub async fn create_upload_config(
        &self,
        new: NewUploadConfig,
        mut ids: ChosenIds,
        complete: impl FnOnce(&UploadConfig) -> Option<Completion>,
    ) -> Result<UploadConfig, Fault> {
        let config = UploadConfig::new(new, self.record.id, &mut ids, self.now());
        self.table.create_upload_config(&config, complete(&config).as_ref()).await?;
        Ok(config)
    }

    /// Changes an upload config. Where others change it at the same time, the change is made again upon theirs.
    pub async fn change_upload_config(
        &self,
        from: UploadConfig,
        change: impl Fn(&mut UploadConfig) -> Result<(), Violations>,
    ) -> Result<UploadConfig, Fault> {
        let id = from.id;
        let change = &change;
        let write = |from: UploadConfig| async move {
            let mut changed = from.clone();
            change(&mut changed)?;
            changed.updated_at = self.now();
            let version = self.table.change_upload_config(&from, &changed).await?;
            Ok(UploadConfig { version, ..changed })
        };
        self.table.retry_on_conflict(from, || self.upload_config_again(id), write).await
    }

    /// Deletes an upload config, unless it is the active one.
    pub async fn delete_upload_config(&self, config: UploadConfig) -> Result<(), Fault> {
        let id = config.id;
        let delete = |config: UploadConfig| async move { Ok(self.table.delete_upload_config(&config).await?) };
        self.table.retry_on_conflict(config, || self.upload_config_again(id), delete).await
    }

    /// A page of this space's upload configs, newest first.
    pub async fn list_upload_configs(&self, listing: Listing<UploadConfigId>) -> Result<Page<UploadConfig>, Fault> {
        Ok(self.table.list_upload_configs(self.record.id, listing).await?)
    }

    async fn upload_config_again(&self, id: UploadConfigId) -> Result<UploadConfig, Fault> {
        let config = self.table.upload_config(self.record.id, &UploadConfigReference::Id(id)).await?;
        config.ok_or_else(Fault::not_found)
    }
}

impl Tenants {
    /// An upload config and its space, by the config's id; `None` where there is none, or none that the caller may know of.
    pub async fn upload_config(
        &self,
        caller: &Caller,
        id: UploadConfigId,
    ) -> Result<Option<(Space, UploadConfig)>, Fault> {
        let space = match caller.own_space() {
            Some((own, _)) => Some(own),
            None => self.table.space_of_upload_config(id).await?,
        };
        let Some(space) = space else { return Ok(None) };
        let Some(space) = self.space(caller, space).await? else { return Ok(None) };
        let config = space.upload_config(Some(&UploadConfigReference::Id(id))).await?;
        Ok(config.map(|config| (space, config)))
    }

    /// A page of the upload configs of every space in which the caller may read them: by space, newest first, and newest
    /// first within each. Gaps stand for spaces in which there was nothing to be seen.
    pub async fn list_all_upload_configs(
        &self,
        caller: &Caller,
        listing: Listing<ConfigPlace>,
    ) -> Result<Page<(ConfigPlace, Option<UploadConfig>)>, Fault> {
        let mut walk = Walk::new(listing);
        let spaces = self.spaces_to_walk(caller, &walk).await?;
        let more_spaces = spaces.more;
        for (space, is_readable) in spaces.records {
            if walk.is_full() {
                break;
            }
            walk.last = Some(space);
            if is_readable {
                walk.enter(self, space).await?;
            }
        }
        Ok(walk.end(more_spaces))
    }

    /// The spaces that a walk comes to, in its order, and whether the caller may read configs there.
    async fn spaces_to_walk(&self, caller: &Caller, walk: &Walk) -> Result<Page<(SpaceId, bool)>, Fault> {
        let Some(user) = caller.user() else {
            let own = caller.own_space().filter(|(own, role)| *role >= READS_CONFIGS && walk.spaces.includes(own));
            let space = match own {
                Some((own, _)) => self.table.space(own).await?,
                None => None,
            };
            return Ok(Page { records: space.into_iter().map(|space| (space.id, true)).collect(), more: false });
        };
        let page = self.table.list_spaces(user, Listing { start: walk.spaces, limit: SPACES }).await?;
        let reads = |(membership, space): (Membership, Option<domain::Space>)| {
            (membership.space_id, space.is_some() && membership.role >= READS_CONFIGS)
        };
        let mut records: Vec<_> = page.records.into_iter().map(reads).collect();
        if walk.is_newer {
            records.reverse();
        }
        Ok(Page { records, more: page.more })
    }
}

/// A walk through spaces and the configs in each, from newer to older or the other way round.
struct Walk {
    is_newer: bool,
    limit: usize,
    /// The spaces that it goes through, the one that it begins in among them.
    spaces: Start<SpaceId>,
    /// Where it begins in its first space.
    first: Option<(SpaceId, Start<UploadConfigId>)>,
    /// The last space that it came to.
    last: Option<SpaceId>,
    found: Vec<(ConfigPlace, Option<UploadConfig>)>,
}

impl Walk {
    fn new(listing: Listing<ConfigPlace>) -> Walk {
        let (is_newer, spaces, first) = match listing.start {
            Start::Newest => (false, Start::Newest, None),
            Start::OlderThan(place) => {
                (false, Start::OlderFrom(place.space), Some((place.space, Start::OlderThan(place.config))))
            }
            Start::OlderFrom(place) => {
                (false, Start::OlderFrom(place.space), Some((place.space, Start::OlderFrom(place.config))))
            }
            Start::NewerThan(place) => {
                (true, Start::NewerFrom(place.space), Some((place.space, Start::NewerThan(place.config))))
            }
            Start::NewerFrom(place) => {
                (true, Start::NewerFrom(place.space), Some((place.space, Start::NewerFrom(place.config))))
            }
        };
        Walk { is_newer, limit: listing.limit.into(), spaces, first, last: None, found: Vec::new() }
    }

    /// Whether it has found more than fits on a page.
    fn is_full(&self) -> bool {
        self.found.len() > self.limit
    }

    async fn enter(&mut self, tenants: &Tenants, space: SpaceId) -> Result<(), Fault> {
        let all = if self.is_newer { Start::NewerFrom(UploadConfigId::FIRST) } else { Start::Newest };
        let start = self.first.filter(|(first, _)| *first == space).map_or(all, |(_, start)| start);
        let limit = u16::try_from(self.limit + 1 - self.found.len()).unwrap_or(u16::MAX);
        let mut page = tenants.table.list_upload_configs(space, Listing { start, limit }).await?;
        if self.is_newer {
            page.records.reverse();
        }
        let place = |config: UploadConfig| (ConfigPlace { space, config: config.id }, Some(config));
        self.found.extend(page.records.into_iter().map(place));
        Ok(())
    }

    /// The page, where `more_spaces` are beyond those that were entered.
    fn end(mut self, more_spaces: bool) -> Page<(ConfigPlace, Option<UploadConfig>)> {
        let more = self.is_full() || more_spaces;
        self.found.truncate(self.limit);
        // Where nothing was found so far, the page says from where it goes on.
        if let Some(space) = self.last.filter(|_| self.found.is_empty() && more) {
            let config = if self.is_newer { UploadConfigId::LAST } else { UploadConfigId::FIRST };
            self.found.push((ConfigPlace { space, config }, None));
        }
        if self.is_newer {
            self.found.reverse();
        }
        Page { records: self.found, more }
    }
}

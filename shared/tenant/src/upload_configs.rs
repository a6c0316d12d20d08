//! The upload configs of a space, and of all spaces of a caller.

use domain::{
    Completion, Cursor, Direction, FieldErrors, IdSequence, NewUploadConfig, Page, PageBounds,
    PageRequest, Role, ServiceError, SpaceId, UploadConfig, UploadConfigId, UploadConfigReference,
};
use table::Membership;

use crate::{Caller, SpaceScope, Tenants};

/// Most spaces that one page of all configs looks into; such a page may be short.
const SPACES: u16 = 50;
/// The least role that reads configs.
pub const CONFIG_READ_ROLE: Role = Role::User;

impl SpaceScope {
    /// An upload config of this space: the one referred to, or the active one.
    pub async fn upload_config(
        &self,
        reference: Option<&UploadConfigReference>,
    ) -> Result<Option<UploadConfig>, ServiceError> {
        let active = UploadConfigReference::Id(self.record.active_upload_config_id);
        Ok(self
            .table
            .upload_config(self.record.id, reference.unwrap_or(&active))
            .await?)
    }

    /// Makes an upload config. `complete` ends the request that it is made for.
    pub async fn create_upload_config(
        &self,
        new: NewUploadConfig,
        mut ids: IdSequence,
        complete: impl FnOnce(&UploadConfig) -> Option<Completion>,
    ) -> Result<UploadConfig, ServiceError> {
        let config = UploadConfig::new(new, self.record.id, &mut ids, self.now());
        self.table
            .create_upload_config(&config, complete(&config).as_ref())
            .await?;
        Ok(config)
    }

    /// Changes an upload config. Where others change it at the same time, the change is made again
    /// upon theirs.
    pub async fn change_upload_config(
        &self,
        from: UploadConfig,
        change: impl Fn(&mut UploadConfig) -> Result<(), FieldErrors>,
    ) -> Result<UploadConfig, ServiceError> {
        let id = from.id;
        let change = &change;
        let write = |from: UploadConfig| async move {
            let mut changed = from.clone();
            change(&mut changed)?;
            changed.updated_at = self.now();
            let version = self.table.change_upload_config(&from, &changed).await?;
            Ok(UploadConfig { version, ..changed })
        };
        self.table
            .retry_on_conflict(from, || self.upload_config_again(id), write)
            .await
    }

    /// Deletes an upload config, unless it is the active one.
    pub async fn delete_upload_config(&self, config: UploadConfig) -> Result<(), ServiceError> {
        let id = config.id;
        let delete = |config: UploadConfig| async move {
            Ok(self.table.delete_upload_config(&config).await?)
        };
        self.table
            .retry_on_conflict(config, || self.upload_config_again(id), delete)
            .await
    }

    /// Returns a page of this space's upload configs, newest first.
    pub async fn list_upload_configs(
        &self,
        page_request: &PageRequest,
    ) -> Result<Page<UploadConfig>, ServiceError> {
        Ok(self
            .table
            .list_upload_configs(self.record.id, page_request)
            .await?)
    }

    async fn upload_config_again(&self, id: UploadConfigId) -> Result<UploadConfig, ServiceError> {
        let config = self
            .table
            .upload_config(self.record.id, &UploadConfigReference::Id(id))
            .await?;
        config.ok_or_else(ServiceError::not_found)
    }
}

impl Tenants {
    /// An upload config and its space, by the config's id; `None` where there is none, or none that
    /// the caller may know of.
    pub async fn upload_config(
        &self,
        caller: &Caller,
        id: UploadConfigId,
    ) -> Result<Option<(SpaceScope, UploadConfig)>, ServiceError> {
        if let Some((own, role)) = caller.own_space() {
            let (space, config) = self
                .table
                .space_and_upload_config(own, &UploadConfigReference::Id(id))
                .await?;
            return Ok(space
                .zip(config)
                .map(|(space, config)| (self.scoped(space, role), config)));
        }
        let (Some(user), Some(space)) =
            (caller.user(), self.table.space_of_upload_config(id).await?)
        else {
            return Ok(None);
        };
        let found = self
            .table
            .space_upload_config_and_membership(space, id, user)
            .await?;
        Ok(found.map(|(space, config, membership)| (self.scoped(space, membership.role), config)))
    }

    /// Returns a page of the upload configs of every space in which the caller may read them: by
    /// space, newest first, and newest first within each.
    pub async fn list_all_upload_configs(
        &self,
        caller: &Caller,
        page_request: &PageRequest,
    ) -> Result<Page<UploadConfig>, ServiceError> {
        let mut walk = Walk::new(page_request);
        let (spaces, more_spaces) = self.spaces_to_walk(caller, &walk).await?;
        for (space, is_readable) in spaces {
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

    /// Returns the spaces that a walk comes to, in its direction, and whether the caller may read
    /// configs there; and whether there are more.
    async fn spaces_to_walk(
        &self,
        caller: &Caller,
        walk: &Walk,
    ) -> Result<(Vec<(SpaceId, bool)>, bool), ServiceError> {
        let Some(user) = caller.user() else {
            let own = caller
                .own_space()
                .filter(|(own, role)| *role >= CONFIG_READ_ROLE && walk.spaces.includes(own));
            let space = match own {
                Some((own, _)) => self.table.space(own).await?,
                None => None,
            };
            return Ok((
                space.into_iter().map(|space| (space.id, true)).collect(),
                false,
            ));
        };
        let page = self.table.list_spaces(user, &walk.spaces).await?;
        let more = page.has_more(walk.direction());
        let reads = |(membership, space): (Membership, Option<domain::Space>)| {
            (
                membership.space_id,
                space.is_some() && membership.role >= CONFIG_READ_ROLE,
            )
        };
        let mut spaces: Vec<_> = page.items.into_iter().map(reads).collect();
        if walk.direction() == Direction::Backward {
            spaces.reverse();
        }
        Ok((spaces, more))
    }
}

/// A walk through spaces and the configs in each, in the direction of a page. A config's place is
/// its space's id and its own.
struct Walk {
    page_request: PageRequest,
    /// The spaces that it goes through, from that of the cursor on.
    spaces: PageRequest,
    /// The space of the cursor, and where it starts there.
    first: Option<(String, Cursor)>,
    /// The last space that it came to.
    last: Option<SpaceId>,
    /// The configs with their places, in the direction of the walk.
    found: Vec<(String, UploadConfig)>,
}

impl Walk {
    fn new(page_request: &PageRequest) -> Walk {
        let mut spaces = PageRequest::first(SPACES);
        let mut first = None;
        if let Some(cursor) = &page_request.cursor {
            let (space, config) = cursor
                .position
                .split_once('.')
                .unwrap_or((&cursor.position, ""));
            spaces.cursor = Some(Cursor {
                is_inclusive: true,
                position: space.to_owned(),
                ..cursor.clone()
            });
            first = Some((
                space.to_owned(),
                Cursor {
                    position: config.to_owned(),
                    ..cursor.clone()
                },
            ));
        }
        Walk {
            page_request: page_request.clone(),
            spaces,
            first,
            last: None,
            found: Vec::new(),
        }
    }

    fn direction(&self) -> Direction {
        self.page_request.direction()
    }

    /// Whether it has found more than fits on a page.
    fn is_full(&self) -> bool {
        self.found.len() > usize::from(self.page_request.limit)
    }

    async fn enter(&mut self, tenants: &Tenants, space: SpaceId) -> Result<(), ServiceError> {
        let missing = usize::from(self.page_request.limit) + 1 - self.found.len();
        let cursor = match (&self.first, self.direction()) {
            (Some((first, cursor)), _) if *first == space.to_string() => Some(cursor.clone()),
            (_, Direction::Forward) => None,
            (_, Direction::Backward) => {
                let place = UploadConfigId::MIN.to_string();
                Some(Cursor {
                    is_inclusive: true,
                    ..Cursor::before(place)
                })
            }
        };
        let page_request = PageRequest {
            cursor,
            limit: u16::try_from(missing).unwrap_or(u16::MAX),
        };
        let mut configs = tenants
            .table
            .list_upload_configs(space, &page_request)
            .await?
            .items;
        if self.direction() == Direction::Backward {
            configs.reverse();
        }
        self.found.extend(
            configs
                .into_iter()
                .map(|config| (format!("{space}.{}", config.id), config)),
        );
        Ok(())
    }

    /// Returns the page. `more_spaces` tells whether there are spaces beyond those that it came to.
    fn end(mut self, more_spaces: bool) -> Page<UploadConfig> {
        let has_more = self.is_full() || more_spaces;
        let direction = self.direction();
        self.found.truncate(self.page_request.limit.into());
        if direction == Direction::Backward {
            self.found.reverse();
        }

        let mut first = self.found.first().map(|(place, _)| place.clone());
        let mut last = self.found.last().map(|(place, _)| place.clone());
        if let Some(space) = self.last.filter(|_| self.found.is_empty() && has_more) {
            // Nothing was found so far: the page goes on behind the last space.
            let config = match direction {
                Direction::Forward => UploadConfigId::MIN,
                Direction::Backward => UploadConfigId::MAX,
            };
            first = Some(format!("{space}.{config}"));
            last.clone_from(&first);
        }
        let bounds = first
            .zip(last)
            .map(|(first, last)| PageBounds { first, last });
        Page::new(
            &self.page_request,
            bounds,
            has_more,
            self.found.into_iter().map(|(_, config)| config).collect(),
        )
    }
}

//! The list of upload configs of all spaces of a caller: by space, newest first, and newest first
//! within each space.

use domain::{
    errors::ServiceError,
    id::{SpaceId, UploadConfigId},
    requests::{Cursor, Direction, Page, PageBounds, PageRequest},
    uploads::UploadConfig,
};
use table::spaces::JoinedSpace;

use crate::{
    spaces::{Caller, Tenants},
    uploads::CONFIG_READ_ROLE,
};

/// Maximum spaces that one page reads. Such a page may be short although more configs follow.
const MAX_SPACES: u16 = 50;

/// The spaces that a page reads, in its direction.
struct SpacesToScan {
    spaces: Vec<SpaceToScan>,
    /// Whether more spaces follow.
    has_more: bool,
}

/// A space, and whether the caller may read its configs.
struct SpaceToScan {
    id: SpaceId,
    is_readable: bool,
}

/// A config and its position in the list: `{space id}.{config id}`.
struct PositionedConfig {
    position: String,
    config: UploadConfig,
}

/// The space of a page's cursor, and the cursor within this space.
struct ScanStart {
    space: String,
    cursor: Cursor,
}

impl Tenants {
    /// Returns a page of the upload configs of every space in which the caller may read them.
    pub async fn list_all_upload_configs(
        &self,
        caller: &Caller,
        page_request: &PageRequest,
    ) -> Result<Page<UploadConfig>, ServiceError> {
        let mut scan = ConfigScan::new(page_request);
        let spaces = self.spaces_to_scan(caller, &scan).await?;

        for space in spaces.spaces {
            if scan.is_full() {
                break;
            }
            scan.last_space = Some(space.id);
            if space.is_readable {
                scan.read_space(self, space.id).await?;
            }
        }
        Ok(scan.into_page(spaces.has_more))
    }

    async fn spaces_to_scan(
        &self,
        caller: &Caller,
        scan: &ConfigScan,
    ) -> Result<SpacesToScan, ServiceError> {
        if let Some(user) = caller.user() {
            let page = self.table.members().list_spaces(user, &scan.spaces).await?;
            let has_more = page.has_more(scan.direction());
            let to_scan = |joined: JoinedSpace| SpaceToScan {
                id: joined.membership.space_id,
                is_readable: joined.space.is_some() && joined.membership.role >= CONFIG_READ_ROLE,
            };
            let mut spaces: Vec<SpaceToScan> = page.items.into_iter().map(to_scan).collect();
            if scan.direction() == Direction::Backward {
                spaces.reverse();
            }
            return Ok(SpacesToScan { spaces, has_more });
        }

        let own = caller
            .space_role()
            .filter(|own| own.role >= CONFIG_READ_ROLE && scan.spaces.includes(own.space_id));
        let space = match own {
            Some(own) => self.table.spaces().get(own.space_id).await?,
            None => None,
        };
        let spaces = space.into_iter().map(|space| SpaceToScan {
            id: space.id,
            is_readable: true,
        });
        Ok(SpacesToScan {
            spaces: spaces.collect(),
            has_more: false,
        })
    }
}

/// A scan of spaces and their configs, in the direction of a page.
struct ConfigScan {
    page_request: PageRequest,
    /// The page of spaces to scan, from the space of the cursor on.
    spaces: PageRequest,
    /// Where the scan starts, if the page has a cursor.
    start: Option<ScanStart>,
    /// The last space that the scan reached.
    last_space: Option<SpaceId>,
    /// The configs, in the direction of the scan.
    found: Vec<PositionedConfig>,
}

impl ConfigScan {
    fn new(page_request: &PageRequest) -> ConfigScan {
        let mut spaces = PageRequest::first(MAX_SPACES);
        let mut start = None;
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
            start = Some(ScanStart {
                space: space.to_owned(),
                cursor: Cursor {
                    position: config.to_owned(),
                    ..cursor.clone()
                },
            });
        }

        ConfigScan {
            page_request: page_request.clone(),
            spaces,
            start,
            last_space: None,
            found: Vec::new(),
        }
    }

    fn direction(&self) -> Direction {
        self.page_request.direction()
    }

    /// Returns whether more configs were found than fit on the page.
    fn is_full(&self) -> bool {
        self.found.len() > usize::from(self.page_request.limit)
    }

    /// Reads the configs of a space, up to one more than fits on the page.
    async fn read_space(&mut self, tenants: &Tenants, space: SpaceId) -> Result<(), ServiceError> {
        let missing = usize::from(self.page_request.limit) + 1 - self.found.len();
        let page_request = PageRequest {
            cursor: self.cursor_in(space),
            limit: u16::try_from(missing).unwrap_or(u16::MAX),
        };

        let page = tenants
            .table
            .upload_configs()
            .list(space, &page_request)
            .await?;
        let mut configs = page.items;
        if self.direction() == Direction::Backward {
            configs.reverse();
        }
        self.found
            .extend(configs.into_iter().map(|config| PositionedConfig {
                position: format!("{space}.{}", config.id),
                config,
            }));
        Ok(())
    }

    /// Returns the cursor from which a space is read; `None` for the start of its list.
    fn cursor_in(&self, space: SpaceId) -> Option<Cursor> {
        if let Some(start) = &self.start
            && start.space == space.to_string()
        {
            return Some(start.cursor.clone());
        }
        match self.direction() {
            Direction::Forward => None,
            // From the end of the list.
            Direction::Backward => Some(Cursor {
                is_inclusive: true,
                ..Cursor::before(UploadConfigId::MIN.to_string())
            }),
        }
    }

    fn into_page(mut self, has_more_spaces: bool) -> Page<UploadConfig> {
        let has_more = self.is_full() || has_more_spaces;
        self.found.truncate(self.page_request.limit.into());
        if self.direction() == Direction::Backward {
            self.found.reverse();
        }

        let bounds = self.bounds(has_more);
        let configs = self.found.into_iter().map(|found| found.config).collect();
        Page::new(&self.page_request, bounds, has_more, configs)
    }

    /// Returns the positions of the first and the last config. If the page has no configs but more
    /// follow, its position is the end of the last space that was read.
    fn bounds(&self, has_more: bool) -> Option<PageBounds> {
        if let (Some(first), Some(last)) = (self.found.first(), self.found.last()) {
            return Some(PageBounds {
                first: first.position.clone(),
                last: last.position.clone(),
            });
        }

        let space = self.last_space.filter(|_| has_more)?;
        let config = match self.direction() {
            Direction::Forward => UploadConfigId::MIN,
            Direction::Backward => UploadConfigId::MAX,
        };
        let position = format!("{space}.{config}");
        Some(PageBounds {
            first: position.clone(),
            last: position,
        })
    }
}

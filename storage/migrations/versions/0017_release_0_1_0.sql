CREATE TABLE debate (
    id TEXT NOT NULL,
    status TEXT NOT NULL,
    title TEXT NOT NULL,
    template TEXT NOT NULL,
    place TEXT NOT NULL,
    asker TEXT NOT NULL,
    private BOOLEAN NOT NULL,
    epoch INTEGER NOT NULL,
    events INTEGER NOT NULL,
    needs INTEGER NOT NULL,
    owner TEXT NOT NULL,
    beat_at TIMESTAMP WITH TIME ZONE,
    wake_at TIMESTAMP WITH TIME ZONE,
    deadline TIMESTAMP WITH TIME ZONE,
    cost DOUBLE PRECISION NOT NULL,
    reserve DOUBLE PRECISION NOT NULL,
    origin_key TEXT,
    parent TEXT NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE NOT NULL,
    facts JSON NOT NULL,
    emptied BOOLEAN DEFAULT false NOT NULL,
    CONSTRAINT pk_debate PRIMARY KEY (id),
    CONSTRAINT uq_debate_origin_key UNIQUE (origin_key)
);

CREATE INDEX ix_debate_created_at ON debate (created_at);

CREATE INDEX ix_debate_emptied_updated_at ON debate (emptied, updated_at);

CREATE INDEX ix_debate_owner ON debate (owner) WHERE owner != '';

CREATE INDEX ix_debate_parent ON debate (parent);

CREATE INDEX ix_debate_place_created_at ON debate (place, created_at);

CREATE INDEX ix_debate_status_wake_at ON debate (status, wake_at);

CREATE INDEX ix_debate_updated_at ON debate (updated_at);

CREATE INDEX ix_debate_wake_at ON debate (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE debate_label (
    debate_id TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    CONSTRAINT pk_debate_label PRIMARY KEY (debate_id, name),
    CONSTRAINT fk_debate_label_debate_id_debate FOREIGN KEY(debate_id) REFERENCES debate (id) ON DELETE CASCADE
);

CREATE INDEX ix_debate_label_name_value_debate_id ON debate_label (name, value, debate_id);

CREATE TABLE debate_text (
    number SERIAL NOT NULL,
    debate_id TEXT NOT NULL,
    words TEXT NOT NULL,
    repository TEXT NOT NULL,
    events INTEGER NOT NULL,
    CONSTRAINT pk_debate_text PRIMARY KEY (number),
    CONSTRAINT fk_debate_text_debate_id_debate FOREIGN KEY(debate_id) REFERENCES debate (id) ON DELETE CASCADE,
    CONSTRAINT uq_debate_text_debate_id UNIQUE (debate_id)
);

CREATE INDEX ix_debate_text_repository_number ON debate_text (repository, number);

CREATE TABLE event (
    debate_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    payload JSON NOT NULL,
    epoch INTEGER NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    digest TEXT DEFAULT '' NOT NULL,
    CONSTRAINT pk_event PRIMARY KEY (debate_id, seq),
    CONSTRAINT fk_event_debate_id_debate FOREIGN KEY(debate_id) REFERENCES debate (id) ON DELETE CASCADE
);

CREATE TABLE llm_call (
    debate_id TEXT NOT NULL,
    turn TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    model TEXT NOT NULL,
    state TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    response TEXT NOT NULL,
    error TEXT NOT NULL,
    usage JSON NOT NULL,
    usd DOUBLE PRECISION,
    estimate DOUBLE PRECISION,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_llm_call PRIMARY KEY (debate_id, turn, attempt),
    CONSTRAINT fk_llm_call_debate_id_debate FOREIGN KEY(debate_id) REFERENCES debate (id) ON DELETE CASCADE
);

CREATE INDEX ix_llm_call_spent ON llm_call (at, state, model, usd, debate_id);

CREATE TABLE outcome (
    debate_id TEXT NOT NULL,
    template TEXT NOT NULL,
    format TEXT NOT NULL,
    status TEXT NOT NULL,
    because TEXT NOT NULL,
    decision TEXT NOT NULL,
    reached BOOLEAN NOT NULL,
    title TEXT NOT NULL,
    source TEXT NOT NULL,
    place TEXT NOT NULL,
    private BOOLEAN NOT NULL,
    cost DOUBLE PRECISION,
    held BOOLEAN,
    concluded_at TIMESTAMP WITH TIME ZONE NOT NULL,
    document JSON NOT NULL,
    CONSTRAINT pk_outcome PRIMARY KEY (debate_id),
    CONSTRAINT fk_outcome_debate_id_debate FOREIGN KEY(debate_id) REFERENCES debate (id) ON DELETE CASCADE
);

CREATE INDEX ix_outcome_concluded_at_debate_id_place ON outcome (concluded_at, debate_id, place);

CREATE INDEX ix_outcome_decision ON outcome (decision);

CREATE INDEX ix_outcome_format_concluded_at_debate_id ON outcome (format, concluded_at, debate_id);

CREATE INDEX ix_outcome_held_concluded_at ON outcome (held, concluded_at);

CREATE INDEX ix_outcome_template_concluded_at ON outcome (template, concluded_at);

CREATE TABLE signal (
    id SERIAL NOT NULL,
    debate_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    payload JSON NOT NULL,
    source_key TEXT NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    applied_seq INTEGER,
    answer TEXT NOT NULL,
    CONSTRAINT pk_signal PRIMARY KEY (id),
    CONSTRAINT fk_signal_debate_id_debate FOREIGN KEY(debate_id) REFERENCES debate (id) ON DELETE CASCADE,
    CONSTRAINT uq_signal_source_key UNIQUE (source_key)
);

CREATE INDEX ix_signal_debate_id_applied_seq ON signal (debate_id, applied_seq);

CREATE INDEX ix_signal_waiting ON signal (applied_seq, debate_id) WHERE applied_seq IS NULL;

CREATE TABLE link (
    id TEXT NOT NULL,
    debate_id TEXT NOT NULL,
    made_by TEXT NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    revoked_at TIMESTAMP WITH TIME ZONE,
    CONSTRAINT pk_link PRIMARY KEY (id),
    CONSTRAINT fk_link_debate_id_debate FOREIGN KEY(debate_id) REFERENCES debate (id) ON DELETE CASCADE
);

CREATE INDEX ix_link_debate_id ON link (debate_id);

CREATE TABLE message (
    place TEXT NOT NULL,
    message TEXT NOT NULL,
    thread TEXT NOT NULL,
    debate_id TEXT NOT NULL,
    "key" TEXT NOT NULL,
    subject TEXT,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_message PRIMARY KEY (place, message),
    CONSTRAINT fk_message_debate_id_debate FOREIGN KEY(debate_id) REFERENCES debate (id) ON DELETE CASCADE
);

CREATE INDEX ix_message_debate_id_place ON message (debate_id, place);

CREATE INDEX ix_message_place_at ON message (place, at);

CREATE INDEX ix_message_place_thread ON message (place, thread);

CREATE TABLE outbox (
    id SERIAL NOT NULL,
    debate_id TEXT NOT NULL,
    place TEXT NOT NULL,
    "key" TEXT NOT NULL,
    op TEXT NOT NULL,
    target TEXT NOT NULL,
    body JSON NOT NULL,
    state TEXT NOT NULL,
    claimed_by TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    first_attempt_at TIMESTAMP WITH TIME ZONE,
    next_at TIMESTAMP WITH TIME ZONE NOT NULL,
    done JSON NOT NULL,
    ref JSON,
    reason TEXT NOT NULL,
    CONSTRAINT pk_outbox PRIMARY KEY (id),
    CONSTRAINT fk_outbox_debate_id_debate FOREIGN KEY(debate_id) REFERENCES debate (id) ON DELETE CASCADE,
    CONSTRAINT uq_outbox_place_key UNIQUE (place, "key")
);

CREATE INDEX ix_outbox_debate_id ON outbox (debate_id);

CREATE INDEX ix_outbox_open ON outbox (debate_id, place, id) WHERE state IN ('pending', 'sending');

CREATE INDEX ix_outbox_uncertain ON outbox (debate_id) WHERE state = 'uncertain';

CREATE TABLE removal (
    "key" TEXT NOT NULL,
    debate_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    state TEXT NOT NULL,
    claimed_by TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    next_at TIMESTAMP WITH TIME ZONE NOT NULL,
    reason TEXT NOT NULL,
    CONSTRAINT pk_removal PRIMARY KEY ("key"),
    CONSTRAINT fk_removal_debate_id_debate FOREIGN KEY(debate_id) REFERENCES debate (id) ON DELETE CASCADE
);

CREATE INDEX ix_removal_debate_id ON removal (debate_id);

CREATE INDEX ix_removal_state_next_at ON removal (state, next_at);

CREATE TABLE binding (
    place TEXT NOT NULL,
    repository TEXT NOT NULL,
    "by" TEXT NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    rules JSON NOT NULL,
    CONSTRAINT pk_binding PRIMARY KEY (place, repository)
);

CREATE TABLE followed_change (
    place TEXT NOT NULL,
    host TEXT NOT NULL,
    repository TEXT NOT NULL,
    number INTEGER NOT NULL,
    link TEXT NOT NULL,
    story TEXT NOT NULL,
    debate TEXT NOT NULL,
    head TEXT NOT NULL,
    runs INTEGER NOT NULL,
    wanted TEXT NOT NULL,
    asked JSON NOT NULL,
    not_before TIMESTAMP WITH TIME ZONE,
    state TEXT NOT NULL,
    merged_at TIMESTAMP WITH TIME ZONE,
    merge_commit TEXT NOT NULL,
    ask_at TIMESTAMP WITH TIME ZONE,
    asks INTEGER NOT NULL,
    objections JSON NOT NULL,
    told TEXT NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_followed_change PRIMARY KEY (place, host, repository, number)
);

CREATE INDEX ix_followed_change_ask_at ON followed_change (ask_at);

CREATE INDEX ix_followed_change_host_repository_number ON followed_change (host, repository, number);

CREATE INDEX ix_followed_change_wanted ON followed_change (wanted);

CREATE TABLE forge_event (
    "key" TEXT NOT NULL,
    payload JSON NOT NULL,
    state TEXT NOT NULL,
    claimed_by TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    next_at TIMESTAMP WITH TIME ZONE NOT NULL,
    reason TEXT NOT NULL,
    CONSTRAINT pk_forge_event PRIMARY KEY ("key")
);

CREATE INDEX ix_forge_event_at ON forge_event (at);

CREATE INDEX ix_forge_event_state_next_at ON forge_event (state, next_at);

CREATE TABLE forge_installation (
    host TEXT NOT NULL,
    installation INTEGER NOT NULL,
    account TEXT NOT NULL,
    workspace TEXT NOT NULL,
    "by" TEXT NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_forge_installation PRIMARY KEY (host, installation)
);

CREATE INDEX ix_forge_installation_host_account ON forge_installation (host, account);

CREATE TABLE watch (
    host TEXT NOT NULL,
    repository TEXT NOT NULL,
    tags JSON NOT NULL,
    seen JSON NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_watch PRIMARY KEY (host, repository)
);

CREATE TABLE forge_post (
    "key" TEXT NOT NULL,
    debate_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    link TEXT NOT NULL,
    body JSON NOT NULL,
    "by" TEXT NOT NULL,
    state TEXT NOT NULL,
    claimed_by TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    next_at TIMESTAMP WITH TIME ZONE NOT NULL,
    ref JSON,
    reason TEXT NOT NULL,
    CONSTRAINT pk_forge_post PRIMARY KEY ("key"),
    CONSTRAINT fk_forge_post_debate_id_debate FOREIGN KEY(debate_id) REFERENCES debate (id) ON DELETE CASCADE
);

CREATE INDEX ix_forge_post_debate_id ON forge_post (debate_id);

CREATE INDEX ix_forge_post_state_next_at ON forge_post (state, next_at);

CREATE TABLE schedule (
    id TEXT NOT NULL,
    cron TEXT NOT NULL,
    tz TEXT NOT NULL,
    grace DOUBLE PRECISION NOT NULL,
    next_at TIMESTAMP WITH TIME ZONE,
    enabled BOOLEAN NOT NULL,
    template TEXT NOT NULL,
    target TEXT NOT NULL,
    options JSON NOT NULL,
    filters JSON NOT NULL,
    place TEXT NOT NULL,
    owner TEXT NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    outcome TEXT NOT NULL,
    heads JSON NOT NULL,
    misses INTEGER NOT NULL,
    CONSTRAINT pk_schedule PRIMARY KEY (id)
);

CREATE INDEX ix_schedule_enabled_next_at ON schedule (enabled, next_at);

CREATE TABLE schedule_run (
    schedule_id TEXT NOT NULL,
    fire_at TIMESTAMP WITH TIME ZONE NOT NULL,
    taken_at TIMESTAMP WITH TIME ZONE NOT NULL,
    taken_by TEXT NOT NULL,
    finished_at TIMESTAMP WITH TIME ZONE,
    debates JSON NOT NULL,
    outcome TEXT NOT NULL,
    CONSTRAINT pk_schedule_run PRIMARY KEY (schedule_id, fire_at),
    CONSTRAINT fk_schedule_run_schedule_id_schedule FOREIGN KEY(schedule_id) REFERENCES schedule (id) ON DELETE CASCADE
);

CREATE TABLE audit (
    number INTEGER NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    who TEXT NOT NULL,
    salt TEXT NOT NULL,
    who_hash TEXT NOT NULL,
    surface TEXT NOT NULL,
    place TEXT NOT NULL,
    what TEXT NOT NULL,
    about TEXT NOT NULL,
    detail JSON NOT NULL,
    hash TEXT NOT NULL,
    CONSTRAINT pk_audit PRIMARY KEY (number)
);

CREATE INDEX ix_audit_at ON audit (at);

CREATE TABLE installation (
    workspace TEXT NOT NULL,
    sealed BYTEA NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_installation PRIMARY KEY (workspace)
);

CREATE TABLE invitation (
    secret_hash TEXT NOT NULL,
    person TEXT NOT NULL,
    debate TEXT NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_invitation PRIMARY KEY (secret_hash)
);

CREATE TABLE left_workspace (
    workspace TEXT NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_left_workspace PRIMARY KEY (workspace)
);

CREATE TABLE seen (
    "key" TEXT NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_seen PRIMARY KEY ("key")
);

CREATE INDEX ix_seen_at ON seen (at);

CREATE TABLE session (
    id TEXT NOT NULL,
    key_hash TEXT NOT NULL,
    platform TEXT NOT NULL,
    account TEXT NOT NULL,
    name TEXT NOT NULL,
    workspace TEXT NOT NULL,
    workspaces JSON NOT NULL,
    browser TEXT NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    seen_at TIMESTAMP WITH TIME ZONE NOT NULL,
    checked_at TIMESTAMP WITH TIME ZONE NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_session PRIMARY KEY (id),
    CONSTRAINT uq_session_key_hash UNIQUE (key_hash)
);

CREATE INDEX ix_session_platform_account ON session (platform, account);

CREATE TABLE token (
    id TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    person TEXT NOT NULL,
    place TEXT NOT NULL,
    name TEXT NOT NULL,
    scopes JSON NOT NULL,
    purse DOUBLE PRECISION NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_token PRIMARY KEY (id),
    CONSTRAINT uq_token_secret_hash UNIQUE (secret_hash)
);

CREATE TABLE token_start (
    token TEXT NOT NULL,
    "key" TEXT NOT NULL,
    asked_hash TEXT NOT NULL,
    budget DOUBLE PRECISION NOT NULL,
    debate TEXT NOT NULL,
    CONSTRAINT pk_token_start PRIMARY KEY (token, "key")
);

CREATE TABLE compatible (
    least TEXT NOT NULL,
    CONSTRAINT pk_compatible PRIMARY KEY (least)
);

CREATE TABLE running_bot (
    owner TEXT NOT NULL,
    address TEXT NOT NULL,
    since TIMESTAMP WITH TIME ZONE NOT NULL,
    opens JSON DEFAULT '[]' NOT NULL,
    CONSTRAINT pk_running_bot PRIMARY KEY (owner)
);

CREATE TABLE slot (
    place TEXT NOT NULL,
    free_at TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT pk_slot PRIMARY KEY (place)
);

-- Quotas are charged in the transaction that creates or deletes, as its last statement: a function, because a statement
-- sees what was committed when it began, and what is asked under a lock must be seen as it is under the lock.
--
-- A usage row exists only where somebody has counted. Who finds one changes it, and waits for whoever changed it before: so
-- limits are exact. Who finds none and has no limit to keep, or deletes, takes a share of the project's advisory lock
-- for the resource until it has committed; any number can. Who finds none and has a limit takes the lock whole: then none of
-- those is under way, and the count is true. What is not charged yet is not in the count and finds the row later.
CREATE FUNCTION quota_limit_of(project text, resource_name text, standard integer) RETURNS integer LANGUAGE sql AS $$
  SELECT coalesce((SELECT q."limit" FROM quotas q WHERE q.project_id = project AND q.resource = resource_name), standard)
$$;
--> statement-breakpoint
CREATE FUNCTION quota_lock_key(project text, resource_name text) RETURNS integer LANGUAGE sql AS $$
  SELECT hashtext(resource_name || ' ' || project)
$$;
--> statement-breakpoint
CREATE FUNCTION quota_count(project text, tables text[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  counted integer;
BEGIN
  EXECUTE (SELECT 'SELECT ' || string_agg(format('(SELECT count(*) FROM %I WHERE project_id = $1)', t), ' + ') FROM unnest(tables) t)
    INTO counted USING project;
  RETURN counted;
END $$;
--> statement-breakpoint
-- Charges: [{resource, delta, standard: the limit where none is set, tables: whose rows count, kept: in a usage row}].
CREATE FUNCTION charge_quota(project text, charges json, refusing boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  lock_class CONSTANT integer := 7305;
  charge record;
  allowed integer;
  used integer;
  exceeded text[] := '{}';
BEGIN
  FOR charge IN
    SELECT * FROM json_to_recordset(charges)
      AS c (resource text, delta integer, standard integer, tables text[], kept boolean)
    ORDER BY c.resource
  LOOP
    used := NULL;
    IF charge.kept THEN
      UPDATE quota_usages u SET in_use = greatest(u.in_use + charge.delta, 0)
        WHERE u.project_id = project AND u.resource = charge.resource RETURNING u.in_use INTO used;
    END IF;
    allowed := quota_limit_of(project, charge.resource, charge.standard);
    IF used IS NULL THEN
      IF allowed < 0 OR charge.delta < 0 THEN
        PERFORM pg_advisory_xact_lock_shared(lock_class, quota_lock_key(project, charge.resource));
      ELSE
        PERFORM pg_advisory_xact_lock(lock_class, quota_lock_key(project, charge.resource));
      END IF;
      IF charge.kept THEN
        UPDATE quota_usages u SET in_use = greatest(u.in_use + charge.delta, 0)
          WHERE u.project_id = project AND u.resource = charge.resource RETURNING u.in_use INTO used;
      END IF;
      IF used IS NULL THEN
        CONTINUE WHEN allowed < 0 OR charge.delta < 0;
        used := quota_count(project, charge.tables);
        IF charge.kept THEN
          INSERT INTO quota_usages (project_id, resource, in_use) VALUES (project, charge.resource, used);
        END IF;
      END IF;
      allowed := quota_limit_of(project, charge.resource, charge.standard);
    END IF;
    IF charge.delta > 0 AND allowed >= 0 AND used > allowed THEN
      exceeded := exceeded || charge.resource;
    END IF;
  END LOOP;
  IF refusing AND exceeded <> '{}' THEN
    RAISE EXCEPTION 'quota exceeded' USING
      ERRCODE = 'check_violation', CONSTRAINT = 'quota_limit', DETAIL = array_to_string(exceeded, ',');
  END IF;
END $$;
--> statement-breakpoint
-- For a project that has no limit any more: from now on nobody counts, and nobody waits.
CREATE FUNCTION forget_quota(project text, resource_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7305, quota_lock_key(project, resource_name));
  DELETE FROM quota_usages WHERE project_id = project AND resource = resource_name;
END $$;
--> statement-breakpoint
-- Rows that were kept for projects without a limit would have them wait for each other; the others are made anew.
DELETE FROM quota_usages;

DROP INDEX "security_group_rules_remote_group_id_index";--> statement-breakpoint
DROP INDEX "security_group_rules_remote_address_group_id_index";--> statement-breakpoint
CREATE INDEX "security_group_rules_remote_group_id_index" ON "security_group_rules" USING btree ("remote_group_id") WHERE "security_group_rules"."remote_group_id" is not null;--> statement-breakpoint
CREATE INDEX "security_group_rules_remote_address_group_id_index" ON "security_group_rules" USING btree ("remote_address_group_id") WHERE "security_group_rules"."remote_address_group_id" is not null;
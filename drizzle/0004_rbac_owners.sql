CREATE INDEX "network_rbacs_project_id_index" ON "network_rbacs" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "address_group_rbacs_project_id_index" ON "address_group_rbacs" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "security_group_rbacs_project_id_index" ON "security_group_rbacs" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "address_scope_rbacs_project_id_index" ON "address_scope_rbacs" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "subnetpool_rbacs_project_id_index" ON "subnetpool_rbacs" USING btree ("project_id");